# A voter goes back to a lower term.
# seed: 1
s|return term < v->promise.term;|return false;|
