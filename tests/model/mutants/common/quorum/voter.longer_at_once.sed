# A longer lease binds a voter before a restart would know it.
# test: unit/world/test_world_steps
# case: longer_lease_is_granted_once_it_is_durable
s/if (lease > v->lease \&\& v->promise.term != 0)/if (false)/
