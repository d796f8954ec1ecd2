# A node that found nobody eligible elects as if it had just started.
# test: unit/cluster/test_cluster_return
s/(node->lead.found_nobody && !hears_nobody(node))/node->lead.found_nobody/
