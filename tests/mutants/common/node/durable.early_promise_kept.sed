# A promise counts as durable when an earlier one is.
/^durable_keep_promise(/,/^}/s/ || kept->term != q->voter.promise.term//
