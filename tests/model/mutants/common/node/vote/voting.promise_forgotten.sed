# A promise does not outlive the process.
# seed: 1
s/v, &r->promise,/v, \&(struct promise){ 0 },/
