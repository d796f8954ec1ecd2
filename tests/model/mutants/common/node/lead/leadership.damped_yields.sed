# A damped leader that a majority confirmed hands over for an undamped node.
# test: unit/cluster/test_cluster_heal
# case: host_that_flaps_keeps_its_lease
s/(is_leader \&\& node_is_quorum(node)) ||$/(false) ||/
