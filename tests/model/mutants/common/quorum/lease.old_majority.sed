# A majority of the voters before leads with the voters after.
# test: unit/world/test_world_steps
s|l->quorum = voters / 2 + 1;|l->quorum = l->held != 0 ? l->quorum : voters / 2 + 1;|
