# The winner does not announce itself.
/^bully_start(/,/^}/s/bully_send(b, i, BULLY_COORDINATOR, out);/;/
