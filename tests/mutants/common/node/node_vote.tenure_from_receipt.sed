# A follower counts the lease from when it hears of it.
/^tenure_end(/,/^}/s/nsec_since(now, elapsed \* USEC)/now/
