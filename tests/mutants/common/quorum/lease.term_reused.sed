# Late grants win a term again that was given up.
/^lease_drop(/,/^}/s/l->term = 0;/;/
