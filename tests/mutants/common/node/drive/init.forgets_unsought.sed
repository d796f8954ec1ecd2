# A node forgets whom it never sought, as it was no neighbour of it.
# test: unit/cluster/test_cluster_gathering
/^peer_move(/,/^}/s/p->sought = now;/p->sought += 0;/
