# A voter is admitted by a leader with another configuration.
# test: unit/node/test_node_admit
s/!config_id_equal(&request->config_id, &node->setup.config_id) ||//
