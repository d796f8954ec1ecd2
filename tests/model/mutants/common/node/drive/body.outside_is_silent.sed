# A node that is outside tells nobody which terms it has seen.
# test: unit/node/test_node_outside
/^beacon_of(/,/^}/s/node_is_outside(node)/false/
