# A node calls an election each time that it hears of the leader it took part in
# electing.
# test: unit/cluster/test_cluster_heal
/!pulse->leader.sits &&$/{n;s/pulse->term != node->election.run_term/true/}
