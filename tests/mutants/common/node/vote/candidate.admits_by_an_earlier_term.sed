# A leader admits a voter by an edition of an earlier term.
# test: unit/world/test_world_proof
s/node->setup.edition.stamp == l->held ||/node->setup.edition.stamp != 0 ||/
