# A leader changes voters before a majority has the edition in its own term.
# test: unit/world/test_world_steps
s/node->setup.edition.stamp != held/node->setup.edition.stamp == 0/
