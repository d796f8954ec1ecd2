# RELEASE does not wait for the deadline of a client.
/^lease_drop(/,/^}/s/return lease_free_at(l, now);/return now;/
