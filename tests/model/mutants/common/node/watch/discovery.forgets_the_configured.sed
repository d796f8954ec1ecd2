# A leader forgets a voter that is gone.
# test: unit/cluster/test_cluster_discovery_quorum
# case: observer_that_is_gone_is_forgotten_and_a_voter_is_not
/^node_forgets(/,/^}/s/!p->setup.is_configured/true/
