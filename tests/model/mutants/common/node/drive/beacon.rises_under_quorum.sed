# The word of a node without a leader makes a healthy cluster elect.
# test: unit/cluster/test_cluster_return
# case: node_that_elects_above_a_leader_unheard_costs_no_term
/^node_rise_above(/,/^}/s/node_is_quorum(node) ||/false ||/
