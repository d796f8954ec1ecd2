# An earlier datagram of a peer takes back what a later one has said.
# test: unit/node/test_standby
/^standby_hear(/,/^}/s/number < p->standby.number/false/
