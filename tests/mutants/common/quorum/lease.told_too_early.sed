# RELEASE does not wait for the deadline of a client.
/^lease_drop(/,/^}/s/return l->handed > now ? l->handed : now;/return now;/
