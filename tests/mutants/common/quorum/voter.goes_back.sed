# A shorter lease takes the place of a longer one that was granted.
# test: unit/world/test_world_steps
s/if (!owner_equal(v->holder, nominee) || until > v->guard_until)/if (true)/
