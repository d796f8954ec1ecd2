# A voter grants another while the lease it grants runs.
# seed: 1
s/now < v->guard_until/false/
