# A node does not compare the ranks that it hears.
/^floodmax_learn(/,/^}/s/rank_better(.*))/false)/
