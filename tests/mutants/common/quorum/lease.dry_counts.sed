# A granted pre-vote counts as a grant.
/^lease_request(/,/^}/s/grants_clear(l, now);/;/
