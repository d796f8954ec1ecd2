# A restart forgets a longer lease that was granted before a change.
# test: unit/world/test_world_steps
s/if (lease < v->voter.lease && v->bound_until < until)/if (false)/
