# A shorter lease takes the place of a longer one that was granted.
# test: unit/world/test_world_steps
# case: shorter_lease_does_not_shorten_a_grant
s/if (!owner_equal(v->holder, nominee) || until > v->guard_until)/if (true)/
