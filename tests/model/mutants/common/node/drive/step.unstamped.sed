# A leader changes voters before a majority has the configuration in its own term.
# test: unit/world/test_world_steps
# case: leader_stamps_the_configuration_in_effect_before_a_step
s/node->setup.config_id.config_term != held/node->setup.config_id.config_term == 0/
