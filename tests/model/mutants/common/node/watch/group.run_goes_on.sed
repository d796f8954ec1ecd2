# A gap does not end a run.
# test: unit/node/test_node_group_in
/^group_unseal(/,/^}/s/g->run = 0;/;/
