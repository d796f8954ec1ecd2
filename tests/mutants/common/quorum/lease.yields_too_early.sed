# A leader yields before the deadline of a client.
/^lease_yield(/,/^}/s/lease_free_at(l, now)/now/
