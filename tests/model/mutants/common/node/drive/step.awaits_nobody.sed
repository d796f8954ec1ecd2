# A voter that does not run may come, and nobody is told.
# test: unit/node/test_node_step
s/!outside_hears(node, now, p->id))/false)/
