# A node that another edition does not name leads all the same.
# test: unit/node/test_node_outside
/^editions_is_outside(/,/^}/s/return now < node->editions.outside_until;/return false;/
