# Under quorum a node that has no leader proposes whom it meets.
# test: unit/cluster/test_cluster_discovery_quorum
# case: host_waits_for_a_leader
/^make_known(/,/^}/s/if (node_is_quorum(node) && lead_id(&node->lead) == NODE_NONE)/if (false)/
