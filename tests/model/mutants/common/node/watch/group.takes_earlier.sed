# An earlier group datagram is taken after a later one.
# test: unit/node/test_node_group_in
/^group_unseal(/,/^}/s/head->number <= g->heard/head->number == g->heard/
