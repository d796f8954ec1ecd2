# A promise counts as durable when an earlier one is.
# seed: 44
/^voting_keep(/,/^}/s/kept->promise.term != v->promise.term ||/kept->promise.term == 0 ||/
