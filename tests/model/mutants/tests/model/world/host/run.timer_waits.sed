# The kernel's timer stands still while the host is suspended.
# seed: 81
/^runs_wake(/,/^}/s/local_now(w, name) >= r->timer)/local_now(w, name) >= r->timer + 100 * w->setup.lease)/
