# A leader that has seen a later term drops the messages of an earlier one.
# test: unit/node/test_node_link
/its term is over/{n;s/!node_is_quorum(node)/false/}
