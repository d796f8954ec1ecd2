# What would be granted counts as granted.
/^lease_request(/,/^}/s/grants_clear(l, now);/;/
