# A promise counts as durable when an earlier one is.
/^voting_keep(/,/^}/s/kept->promise.term != v->promise.term ||/kept->promise.term == 0 ||/
