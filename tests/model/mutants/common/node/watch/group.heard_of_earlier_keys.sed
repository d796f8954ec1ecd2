# What a peer took under an earlier key counts under this one.
# test: unit/node/test_node_group
/^group_take_heard(/,/^}/s/heard->number < node->group.first - 1/false/
