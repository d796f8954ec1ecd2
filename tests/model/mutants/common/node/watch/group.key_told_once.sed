# A node tells its group key once.
# test: unit/node/test_node_group
/^key_is_due(/,/^}/s/nsec_since(now, p->group.key_told) >= KEY_AGAIN/false/
