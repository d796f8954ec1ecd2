# What a peer said earlier counts after what it said later.
# test: unit/node/test_node_group
/^group_take_heard(/,/^}/s/heard->number < g->told/false/
