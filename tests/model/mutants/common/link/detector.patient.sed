# Twenty times as many heartbeats may be missed.
# seed: 2
# component
s/nsec_t patience = misses \* d->interval/nsec_t patience = 20 * misses * d->interval/
