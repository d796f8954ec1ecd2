# A restart forgets a longer lease that was granted before a change.
# test: unit/world/test_world_steps
# case: shorter_lease_does_not_shorten_a_quarantine
s/if (lease < v->voter.lease && v->bound_until < until)/if (false)/
