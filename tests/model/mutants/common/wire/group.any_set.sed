# A set of receivers is larger than a cluster.
# test: unit/node/test_node_group_in
s/ || b->places_size > NODES_MAX \/ 8)/)/
