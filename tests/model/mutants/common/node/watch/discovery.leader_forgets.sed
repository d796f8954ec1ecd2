# Also in a graph only the leader forgets, and only its neighbours.
# test: unit/cluster/test_cluster_discovery
# case: nodes_of_a_graph_join_and_outlive_the_first
/^node_forgets(/,/^}/s/(is_full \&\& !node_leads(node))/(!node_leads(node) || (is_full \&\& false))/
