# A node that found nobody eligible elects as if it had just started.
# test: unit/cluster/test_cluster_return
# case: node_that_stands_again_while_it_is_cut_off_costs_no_term
s/(node->lead.found_nobody && !hears_nobody(node))/node->lead.found_nobody/
