# The key stays as it was when the settings change.
# test: unit/node/test_node_group
/^group_change(/,/^}/s/if (node->setup.has_group)/if (node->group.number == 0)/
