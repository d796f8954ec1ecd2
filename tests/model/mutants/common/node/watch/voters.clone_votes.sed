# A node whose id is in use twice votes.
# test: unit/cluster/test_cluster_clone
# case: clone_of_any_voter_breaks_no_promise
# sample
/^voters_is_able/,/^}/s/!node_is_duplicate(node, now)/true/
