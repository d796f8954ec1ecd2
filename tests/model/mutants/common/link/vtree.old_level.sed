# A node does not follow when the level of its parent changes.
# test: unit/link/test_vtree_graphs
/^vtree_descend(/,/^}/s/if (label_better(/if (label_tree_better(/
