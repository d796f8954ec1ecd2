# A voter that has just started grants at once.
/^voting_init(/,/^}/s/nsec_after(now, r->lease))/now)/
