# A node that is cut off spends a term each time that it misses a peer.
# test: unit/cluster/test_cluster_return
s/^	return node_is_quorum(node) || hears_nobody(node);/	return true;/
