# A lease left counts with any beacon of the leader's.
# test: unit/node/test_node_lease_left
/^quorum_take_lease_left(/,/^}/s/beacon->number >= node->lead.own_number/true/
