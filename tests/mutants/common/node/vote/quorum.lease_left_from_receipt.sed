# A follower counts the lease from when it hears of it.
/^quorum_lease_left_end(/,/^}/s/nsec_since(now, elapsed \* USEC)/now/
