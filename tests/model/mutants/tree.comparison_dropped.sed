# A node does not compare the rank that a TOKEN carries.
/^tree_on_token(/,/^}/s/rank_better(.*))/false)/
