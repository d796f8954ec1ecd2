# A node that leads alone tells the first that it hears.
# test: unit/cluster/test_cluster_return
# case: follower_that_returns_costs_the_leader_no_term
s/ \&\& !lead->is_lone;/;/
