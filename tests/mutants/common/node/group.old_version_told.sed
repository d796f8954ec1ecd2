# A peer of version 2 is told of groups.
# test: unit/node/test_node_group
/^group_tells_key(/,/^}/s/has_frames(p) &&/true \&\&/
