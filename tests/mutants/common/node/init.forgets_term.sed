# After a change of the edition the elections begin at the first term.
# test: unit/node/test_node_change
/^node_change(/,/^}/s/node_init_election(node, cut.election, old->election.term);/node_init_election(node, cut.election, 0);/
