# A peer may have taken what was not sent.
# test: unit/node/test_node_group
/^group_take_heard(/,/^}/s/heard->number >= node->group.number/false/
