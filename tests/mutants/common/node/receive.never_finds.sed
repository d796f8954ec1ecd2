# The host is not told where a peer is.
# test: unit/node/test_node_address
s/node->out.moved = p;/(void)p;/
