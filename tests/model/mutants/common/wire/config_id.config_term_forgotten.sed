# A file in the place of a configuration has no config term: an earlier configuration follows it.
# test: unit/world/test_world_forgotten
# case: file_in_the_place_of_a_configuration_goes_behind_none
s/config_id.config_term = was->config_term;/config_id.config_term = 0;/
