# A voter that was cut off at once with the leader counts as heard.
# test: unit/cluster/test_cluster_return
s/(lead_was_silent(&node->lead) && d->heard < node->lead.since) ||/false ||/
