# A voter that finds earlier settings than it has lost forgets which it lost.
# test: unit/node/test_node_admit
s/if (config_id_follows(&node->setup.config_id, &r->config_id))$/if (true)/
