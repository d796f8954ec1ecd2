# An election sees the edges of a tree that is still forming.
# test: unit/cluster/test_cluster_tree
# case: death_of_leader_and_root_costs_few_terms
s/bool is_settled = vtree_is_settled(v);/bool is_settled = true;/
