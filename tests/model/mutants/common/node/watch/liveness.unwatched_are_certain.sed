# Voters that nobody watches count as heard when the leader falls silent.
# test: unit/cluster/test_cluster_return
# case: follower_that_runs_late_costs_no_term
/^liveness_doubts(/,/^}/s/return lead_was_silent(&node->lead);/return false;/
