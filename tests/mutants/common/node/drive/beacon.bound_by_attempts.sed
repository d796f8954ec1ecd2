# A node that elected in vain while it was cut off does not follow the leader.
# test: unit/cluster/test_cluster_return
/^beacon_floor(/,/^}/s/node_is_quorum(node) \&\& !node->election.is_open/false/
