# A node calls an election each time that it hears of the leader it took part in
# electing.
# test: unit/cluster/test_cluster_heal
# case: damping_leader_is_defended_once
/!beacon->leader.is_contender &&$/{n;s/beacon->term != node->election.run_term/true/}
