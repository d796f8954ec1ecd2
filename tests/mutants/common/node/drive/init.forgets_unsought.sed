# A node forgets whom it never sought, as it was no neighbour of it.
# test: unit/cluster/test_cluster_gathering
# case: nodes_of_a_graph_join_and_outlive_the_first
/^peer_move(/,/^}/s/p->sought = now;/p->sought += 0;/
