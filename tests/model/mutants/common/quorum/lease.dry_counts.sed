# A granted pre-vote counts as a grant.
# seed: 1
/^lease_request(/,/^}/s/grants_clear(l, now);/;/
