# A promise counts as durable when an earlier one is.
/^quorum_kept(/,/^}/s/ || kept->term != q->voter.promise.term//
