# A node takes a group datagram of another edition.
# test: unit/node/test_node_group_in
/^group_receive(/,/^}/s/g.edition != edition_tag(&node->setup.edition) ||/false ||/
