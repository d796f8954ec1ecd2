# Late grants win a term again that was given up.
# seed: 1
/^lease_drop(/,/^}/s/l->term = 0;/;/
