# Neither promise nor quarantine after a start.
s/v, &r->promise, true, lease, nsec_after(now, r->lease))/v, \&(struct promise){ 0 }, true, lease, now)/
