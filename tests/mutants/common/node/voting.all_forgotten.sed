# Neither promise nor quarantine after a start.
s/v, &r->promise, true, node->setup.lease, nsec_after(now, r->lease))/v, \&(struct promise){ 0 }, true, node->setup.lease, now)/
