# An unsteady leader that a majority confirmed hands over for a steady node.
# test: unit/cluster/test_cluster_heal
s/(is_leader \&\& node_is_quorum(node)) ||$/(false) ||/
