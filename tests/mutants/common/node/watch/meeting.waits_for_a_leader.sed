# Nodes that have no leader take in nobody.
# test: unit/cluster/test_cluster_gathering
/^speaks_for_all(/,/^}/s/lead_id(&node->lead) == NODE_NONE/false/
