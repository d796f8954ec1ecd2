# A group key counts though its owner told it long ago.
# test: unit/node/test_node_group_in
/^group_unseal(/,/^}/s/nsec_since(now, g->key_at) > KEY_COUNTS/false/
