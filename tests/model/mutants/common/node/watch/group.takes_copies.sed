# A group datagram that was taken is taken again.
# test: unit/node/test_node_group_in
/^group_unseal(/,/^}/s/head->number <= g->heard/head->number < g->heard/
