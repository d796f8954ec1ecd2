# A peer that was removed and is added again gets the same numbers of HELLOs.
# test: unit/node/test_node_change
/^handshake_build_hello(/,/^}/s/p->handshake.number = ++node->out.hello_number;/p->handshake.number++;/
