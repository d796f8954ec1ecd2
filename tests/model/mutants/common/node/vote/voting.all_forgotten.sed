# Neither promise nor quarantine after a start.
# seed: 1
/^voting_init(/,/^}/s/voter_init(v, &r->promise, true, lease, &config_id,/voter_init(v, \&(struct promise){ 0 }, true, lease, \&config_id, now); if (0) &/
