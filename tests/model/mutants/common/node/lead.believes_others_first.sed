# A beacon that another node passes on makes the leader's own beacons old.
# test: unit/node/test_node_liar
/^is_news(/,/^}/s/return p->number > lead->own_number;/return p->number > lead->beacon.number;/
