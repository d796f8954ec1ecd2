# After a change of the edition the elections begin at the first term.
# test: unit/node/test_node_change
/^node_change(/,/^}/s/later(old->election.term, s.edition.stamp)/later(0, 0)/
