# A promise does not outlive the process.
s/voter_init(&q->voter, &r->promise,/voter_init(\&q->voter, \&(struct promise){ 0 },/
