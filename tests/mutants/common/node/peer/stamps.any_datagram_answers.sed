# A node that nobody hears takes what its peers sent before for their answers.
# test: unit/cluster/test_cluster_return
# case: follower_that_hears_all_late_costs_no_term
/^stamps_answered(/,/^}/s/p->stamps.answered/p->stamps.arrived/
