# An earlier process of a peer is welcome, too.
/^hello_judge(/,/^}/s/is_latest \&\& process_is_present(p, incarnation, h->instance)/!process_is_over(p, incarnation)/
