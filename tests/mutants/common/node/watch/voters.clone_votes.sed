# A node whose id is in use twice votes.
# test: unit/cluster/test_cluster_clone
# sample
/^voters_is_able/,/^}/s/!node_is_duplicate(node, now)/true/
