# Nodes that have no leader take in nobody.
# test: unit/cluster/test_cluster_discovery
# case: observers_take_in_the_node_that_will_lead
/^speaks_for_all(/,/^}/s/lead_id(&node->lead) == NODE_NONE/false/
