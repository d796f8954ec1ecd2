# A leader that leads again has no earlier deadline than before.
# test: unit/quorum/test_lease_deadline
/^lease_hand_out(/,/^}/s/if (until > l->handed)/assert(until >= l->handed);/
