# A node that is cut off spends a term each time that it misses a peer.
# test: unit/cluster/test_cluster_return
# case: follower_that_returns_costs_the_leader_no_term
/^leadership_is_certain(/,/^}/s/^	return node_is_quorum(node) ||/	return true ||/
