# A node that nobody hears takes what its peers sent before for their answers.
# test: unit/cluster/test_cluster_return
# case: follower_that_hears_all_late_costs_no_term
/^timestamps_answered(/,/^}/s/p->timestamps.answered/p->timestamps.arrived/
