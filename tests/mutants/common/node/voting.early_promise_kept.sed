# A promise counts as durable when an earlier one is.
/^voting_keep(/,/^}/s/ || kept->term != v->promise.term//
