# A voter that finds earlier settings than it has lost forgets which it lost.
# test: unit/node/test_node_admit
s/if (edition_follows(&node->setup.edition, &r->edition))$/if (true)/
