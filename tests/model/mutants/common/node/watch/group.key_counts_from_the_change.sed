# A key counts from its first number in each session.
# test: unit/node/test_node_group
/^group_tells_key(/,/^}/s/node->group.number;/node->group.first;/
