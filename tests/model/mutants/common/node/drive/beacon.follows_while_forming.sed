# A node whose tree is forming follows a leader that is worse than its own.
# test: unit/cluster/test_topologies_faults
# case: flapping_link_leaves_the_better_part_alone
s/if (stays || (other != NODE_NONE \&\& tree_is_forming(node)))/if (stays)/
