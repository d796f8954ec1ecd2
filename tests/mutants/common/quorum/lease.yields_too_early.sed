# A leader yields before the deadline of a client.
/^lease_yield(/,/^}/s/l->handed > now ? l->handed : now/now/
