# A file in the place of an edition has no stamp: an earlier edition follows it.
# test: unit/node/test_node_propose
s/edition.stamp = node->setup.durable.edition.stamp;/edition.stamp = 0;/
