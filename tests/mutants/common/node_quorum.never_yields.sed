# A sitting leader does not make room for a better one.
/^quorum_yield(/,/^}/s/lease_yield(&q->lease, now);/;/
