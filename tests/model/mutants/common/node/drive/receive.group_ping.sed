# A ping to the group is taken.
# test: unit/node/test_node_group_in
/^group_receive(/,/^}/s/ || (head->flags & PACKET_PING) != 0//
