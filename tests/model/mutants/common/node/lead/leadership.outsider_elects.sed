# A node that is outside begins elections, and so raises the term.
# test: unit/node/test_node_outside
/^leadership_may_succeed(/,/^}/s/ \&\& !node_is_outside(node)//
