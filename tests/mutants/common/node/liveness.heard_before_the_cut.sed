# A voter that was cut off at once with the leader counts as heard.
# test: unit/cluster/test_cluster_return
s/(is_silent && stamps_arrived(p) < node->lead.since) ||/false ||/
