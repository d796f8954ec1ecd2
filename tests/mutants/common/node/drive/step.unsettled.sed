# The next step does not wait for the one before.
# test: unit/world/test_world_steps
s/!candidate_is_settled(node, now)/false/
