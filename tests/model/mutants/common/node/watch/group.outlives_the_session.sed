# A key outlives the session that told it.
# test: unit/node/test_node_group_in
/^group_unseal(/,/^}/s/!p->has_session || !g->has_key ||/!p->has_session ||/
