# A node whose tree is forming follows a leader that is worse than its own.
# test: unit/cluster/test_topologies_faults
s/if (stays || (other != NODE_NONE \&\& tree_is_forming(node)))/if (stays)/
