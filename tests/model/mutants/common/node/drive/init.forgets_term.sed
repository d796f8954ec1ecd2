# After a change of the configuration the elections begin at the first term.
# test: unit/node/test_node_change
/^node_change(/,/^}/s/later(old->election.term, s.config_id.config_term)/later(0, 0)/
