# A peer that was cut off at once with the leader counts as heard.
# test: unit/cluster/test_cluster_return
s/liveness_outlives(node, now, p)/!liveness_doubts(node, now, p)/
