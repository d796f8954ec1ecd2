# A grant counts of a request that was sent in the instant of a change.
# test: unit/quorum/test_lease_change
/^lease_change(/,/^}/s/grants_clear(l, nsec_after(now, 1));/grants_clear(l, now);/
