# Neither promise nor quarantine after a start.
# seed: 1
/^voting_init(/,/^}/s/voter_init(v, &r->promise, true, lease, &edition,/voter_init(v, \&(struct promise){ 0 }, true, lease, \&edition, now); if (0) &/
