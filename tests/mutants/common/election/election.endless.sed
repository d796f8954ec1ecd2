# An election that does not end is not begun again for long.
/^election_bound(/,/^}/s/bound = e->setup.bound << doublings;/bound = 1000 * e->setup.bound << doublings;/
