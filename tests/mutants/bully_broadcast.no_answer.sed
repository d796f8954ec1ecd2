# Who hears a worse candidate keeps its own candidacy to itself.
/^bully_broadcast_on_candidate(/,/^}/s/bully_broadcast_send(b, out);/;/
