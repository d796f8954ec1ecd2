# A promise counts as durable when an earlier one is.
/^durable_kept(/,/^}/s/ || kept->term != q->voter.promise.term//
