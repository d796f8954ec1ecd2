# A node that is cut off leads itself in a term of its own.
# test: unit/cluster/test_cluster_return
# case: follower_that_returns_costs_the_leader_no_term
/^leadership_is_lone(/,/^}/s/return !node_is_quorum(node)/return false/
