# A node that is cut off in an election begins it again, in a term of its own.
# test: unit/cluster/test_cluster_return
# case: node_that_is_cut_off_while_it_elects_costs_no_term
s/^	    leadership_is_lone(node, node->election.reason))/	    false)/
