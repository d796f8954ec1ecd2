# A peer of version 2 is told of groups.
# test: unit/node/test_node_group
/^key_is_due(/,/^}/s/has_frames(p) && //
