# A peer that moves within a session is not found.
# test: unit/node/test_node_address
/^session_receive(/,/^}/s/node->out.moved = p;/(void)p;/
