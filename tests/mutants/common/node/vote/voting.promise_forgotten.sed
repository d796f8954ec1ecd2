# A promise does not outlive the process.
s/v, &r->promise,/v, \&(struct promise){ 0 },/
