# The word of a node without a leader makes a healthy cluster elect.
# test: unit/cluster/test_cluster_return
/^node_rise_above(/,/^}/s/node_is_quorum(node) ||/false ||/
