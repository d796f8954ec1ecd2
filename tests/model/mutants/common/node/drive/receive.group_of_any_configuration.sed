# A node takes a group datagram of another configuration.
# test: unit/node/test_node_group_in
/^group_receive(/,/^}/s/g.config_tag != config_tag(&node->setup.config_id) ||/false ||/
