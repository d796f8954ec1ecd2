# A voter grants another while the lease it grants runs.
s/now < v->guard_until/false/
