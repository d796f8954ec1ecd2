# A node forgets whom it never sought, as it was no neighbour of it.
# test: unit/node/test_node_change
# case: node_that_becomes_a_neighbour_is_waited_for
/^peer_move(/,/^}/s/p->link.sought = now;/p->link.sought += 0;/
