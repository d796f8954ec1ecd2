# A voter grants for a longer lease than it keeps.
# test: unit/world/test_world_steps
# case: voter_grants_no_longer_lease_than_its_own
s/request->lease > v->lease)/false)/
