# A voter that was cut off at once with the leader counts as heard.
# test: unit/cluster/test_cluster_return
# case: follower_that_hears_all_late_costs_no_term
/^is_unanswered(/,/^}/s/timestamps_answered(p) < node->lead.since/false/
