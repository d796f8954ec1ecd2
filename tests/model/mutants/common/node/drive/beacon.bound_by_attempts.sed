# A node that elected in vain while it was cut off does not follow the leader.
# test: unit/cluster/test_cluster_return
# case: node_that_elects_above_a_leader_unheard_costs_no_term
/^beacon_floor(/,/^}/s/node_is_quorum(node) \&\& !node->election.is_open/false/
