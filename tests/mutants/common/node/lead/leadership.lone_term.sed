# A node that is cut off leads itself in a term of its own.
# test: unit/cluster/test_cluster_return
/^leadership_is_lone(/,/^}/s/return !node_is_quorum(node)/return false/
