# A host that has moved is taken for a second process.
# test: unit/node/test_node_address
s/!process_is_same(p, incarnation, h->instance))/true)/
