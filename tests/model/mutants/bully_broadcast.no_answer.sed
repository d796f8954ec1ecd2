# A node that hears a worse candidate does not announce its own candidacy.
/^bully_broadcast_on_candidate(/,/^}/s/bully_broadcast_send(b, out);/;/
