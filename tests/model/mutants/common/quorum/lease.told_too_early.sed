# RELEASE does not wait for the deadline of a client.
# seed: 4
/^lease_drop(/,/^}/s/return lease_free_at(l, now);/return now;/
