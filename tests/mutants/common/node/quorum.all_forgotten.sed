# Neither promise nor quarantine after a start.
s/voter_init(&q->voter, &r->promise, true, node->setup.lease,/voter_init(\&q->voter, \&(struct promise){ 0 }, true, node->setup.lease, 0 */
