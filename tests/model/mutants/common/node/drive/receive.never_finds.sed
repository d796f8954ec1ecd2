# The host is not told where a session began.
# test: unit/node/test_node_address
/^handshake_act(/,/^}/s/node->out.moved = p;/(void)p;/
