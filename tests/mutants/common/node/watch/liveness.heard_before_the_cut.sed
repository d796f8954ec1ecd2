# A voter that was cut off at once with the leader counts as heard.
# test: unit/cluster/test_cluster_return
/^is_unanswered(/,/^}/s/stamps_answered(p) < node->lead.since/false/
