# A leader admits a voter by a configuration of an earlier term.
# test: unit/world/test_world_proof
# case: voter_is_admitted_by_a_configuration_of_the_leaders_term_alone
s/node->setup.config_id.config_term == l->held ||/node->setup.config_id.config_term != 0 ||/
