# An election goes on that lost a message while a link was gone for a moment.
# test: unit/election/test_election
s/e->is_broken |= e->setup.is_ring || in.link != OUTSIDE;/e->is_broken |= e->setup.is_ring;/
