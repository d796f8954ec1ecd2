# A voter grants for a longer lease than it keeps.
# test: unit/world/test_world_steps
s/request->lease > v->lease)/false)/
