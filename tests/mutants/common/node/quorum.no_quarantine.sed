# A voter that has just started grants at once.
/^quorum_init(/,/^}/s/nsec_after(now, r->lease))/now)/
