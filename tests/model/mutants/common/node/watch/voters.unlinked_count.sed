# A node that returns elects before it knows who leads.
# test: unit/cluster/test_cluster_return
# case: follower_that_returns_costs_the_leader_no_term
/^voters_are_certain(/,/^}/s/voters_counts(node, p) && p->link.is_up &&/voters_counts(node, p) \&\&/
