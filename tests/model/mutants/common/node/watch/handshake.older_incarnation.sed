# A node also welcomes an earlier process of a peer.
# seed: 3
/^hello_judge(/,/^}/s/is_latest \&\& process_is_present(p, incarnation, h->instance)/!process_is_over(p, incarnation)/
