# A node that is cut off spends a term each time that it misses a peer.
# test: unit/cluster/test_cluster_return
/^leadership_is_certain(/,/^}/s/^	return node_is_quorum(node) ||/	return true ||/
