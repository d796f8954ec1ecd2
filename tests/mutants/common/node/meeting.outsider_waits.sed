# A node that the others do not name waits until it hears nobody.
# test: unit/cluster/test_cluster_gathering
/^is_alone(/,/^}/s/return peers_sessions(node) == 0 || node_is_outside(node);/return peers_sessions(node) == 0;/
