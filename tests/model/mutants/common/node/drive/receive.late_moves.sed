# A late datagram moves a peer back.
# test: unit/node/test_node_address
s/session_is_latest(&p->session, head)/true/
