# A node decides when it has sent its TOKEN, not when it has them all.
/^tree_proceed(/,/^}/s/TREE_WAITING \&\& t->tokens == count/TREE_WAITING/
