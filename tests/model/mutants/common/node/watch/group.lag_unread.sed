# A peer that falls behind hears the group.
# test: unit/node/test_node_group
/^group_take_heard(/,/^}/s/heard->number + 1 + lag >= node->group.number/true/
