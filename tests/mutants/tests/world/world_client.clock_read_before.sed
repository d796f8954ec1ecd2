# A client is answered by the clock, and the helper's mark, of before it asked.
s/local = wake(w, name);/local = p->step.local;/
