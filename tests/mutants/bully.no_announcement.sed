# The winner tells nobody.
/^bully_start(/,/^}/s/bully_send(b, i, BULLY_COORDINATOR, out);/;/
