# A leader yields before the deadline of a client.
# seed: 4
/^lease_yield(/,/^}/s/lease_free_at(l, now)/now/
