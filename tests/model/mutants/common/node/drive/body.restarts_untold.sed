# No peer tells a node how often it has restarted.
# test: unit/cluster/test_cluster_heal
# case: best_node_that_is_restarted_for_ever_takes_over_seldom
s/b\.restarts = .*/b.restarts = 0;/
