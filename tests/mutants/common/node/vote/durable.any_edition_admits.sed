# A voter is admitted by a leader with another edition.
# test: unit/node/test_node_admit
s/!edition_equal(&request->edition, &node->setup.edition) ||//
