# The next step does not wait for the one before.
# test: unit/world/test_world_steps
# case: leader_stamps_the_configuration_in_effect_before_a_step
s/!nominee_is_settled(node, now)/false/
