# A group datagram has flags for one receiver.
# test: unit/node/test_node_group_in
/^group_body_decode(/,/^}/s/(b->flags & ~FLAGS_FOR_ALL) != 0 ||/false ||/
