# A voter grants another while the lease it supports runs.
s/now < v->guard_until/false/
