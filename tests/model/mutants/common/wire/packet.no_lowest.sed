# A node takes a version that is too low for the other.
# test: unit/node/test_node_versions
/^versions_common(/,/^}/s/version >= b->lowest ?/true ?/
