# A beacon that a peer hands on leads a node back to a leader that it left.
# test: unit/node/test_lead
/^is_left(/,/^}/s/return p->hops > 0/return false \&\& p->hops > 0/
