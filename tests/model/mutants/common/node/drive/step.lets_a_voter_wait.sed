# A leader does not stamp its configuration anew for a voter that waits for that.
# test: unit/world/test_world_proof
# case: voter_is_admitted_by_a_configuration_of_the_leaders_term_alone
s/(config_term == 0 || (config_term != nominee_held(node) &&/(config_term == 0 || (false \&\&/
