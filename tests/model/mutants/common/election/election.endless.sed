# A node waits too long before it restarts an election that does not end.
# seed: 481
/^election_bound(/,/^}/s/bound = e->setup.bound << doublings;/bound = 1000 * e->setup.bound << doublings;/
