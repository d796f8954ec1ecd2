# A voter goes back to a lower term.
s|return term < v->promise.term;|return false;|
