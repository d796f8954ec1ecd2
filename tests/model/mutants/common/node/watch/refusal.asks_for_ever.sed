# A node whose datagrams are refused asks again and again.
# seed: 1
# component
/^refusal_tick(/,/^}/s/refusal_set(p, REFUSAL_PINGED, NSEC_NEVER);/;/
