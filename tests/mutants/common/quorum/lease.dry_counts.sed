# What would be granted counts as granted.
/^lease_claim(/,/^}/s/supports_clear(l, now);/;/
