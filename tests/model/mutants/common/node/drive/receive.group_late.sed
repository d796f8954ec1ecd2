# A node takes a group datagram that was held back.
# test: unit/node/test_node_group_in
/^group_receive(/,/^}/s/!timestamps_accept(node, now, p, echo)/false/
