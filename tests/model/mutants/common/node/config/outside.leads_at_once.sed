# A node that was outside does not listen before it leads.
# test: unit/node/test_node_outside
/^outside_look(/,/^}/s/life_listen(node, now, node->setup.timing.startup);/(void)now;/
