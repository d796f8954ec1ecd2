# A change forgets why the election of a leader began.
# test: unit/node/test_node_change_quorum
/^node_change(/,/^}/s/node->election.reason = old->election.reason;//
