# What a session agreed on of groups outlives it.
# test: unit/node/test_node_group
/^group_reset(/,/^}/s/seal_wipe(&p->group, sizeof(p->group));/;/
