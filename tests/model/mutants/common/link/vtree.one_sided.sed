# A node counts the link to its parent before the parent knows of it.
# test: unit/link/test_vtree
/^vtree_has_edge(/,/^}/s/return e->word.is_child;/return true;/
