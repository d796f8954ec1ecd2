# Voters that nobody watches count as heard when the leader falls silent.
# test: unit/cluster/test_cluster_return
/^liveness_doubts(/,/^}/s/return lead_was_silent(&node->lead);/return false;/
