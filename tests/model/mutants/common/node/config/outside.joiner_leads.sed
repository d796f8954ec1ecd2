# A node that another configuration does not name leads all the same.
# test: unit/node/test_node_outside
/^node_is_outside(/,/^}/s/return node->outside.is_outside \&\&/return false \&\&/
