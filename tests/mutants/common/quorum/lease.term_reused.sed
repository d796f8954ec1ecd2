# A term that was given up is won again by late grants.
/^lease_drop(/,/^}/s/l->term = 0;/;/
