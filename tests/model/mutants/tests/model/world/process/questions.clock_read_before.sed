# A client gets an answer by the clock, and the helper's mark, of before its question.
# seed: 10
s/local = wake(w, name);/local = p->step.local;/
