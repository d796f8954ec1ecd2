# A node also welcomes an earlier process of a peer.
/^hello_judge(/,/^}/s/is_latest \&\& process_is_present(p, incarnation, h->instance)/!process_is_over(p, incarnation)/
