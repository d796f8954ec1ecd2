# What was sent before the key was told anew counts.
# test: unit/node/test_node_group_in
/^group_unseal(/,/^}/s/ || head->number < g->first//
