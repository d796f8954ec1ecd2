# A follower counts the lease from when it hears of it.
# seed: 1
/^quorum_lease_left_end(/,/^}/s/nsec_since(now, elapsed \* USEC)/now/
