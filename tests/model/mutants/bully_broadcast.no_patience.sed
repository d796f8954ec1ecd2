# A starter does not listen for better candidates.
/^bully_broadcast_start(/,/^}/s/bully_broadcast_listen(b, out);/bully_broadcast_decide(b, out);/
