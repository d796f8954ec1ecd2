# A node that is cut off in an election begins it again, in a term of its own.
# test: unit/cluster/test_cluster_return
s/^	    leadership_is_lone(node, node->election.reason))/	    false)/
