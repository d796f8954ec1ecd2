# A node that lost its parent takes any neighbour of its tree, also one below.
# test: unit/link/test_vtree_graphs
/^vtree_suits(/,/^}/s/label_better(.*/!label_tree_better(\&v->label, \&e->word.label);/
