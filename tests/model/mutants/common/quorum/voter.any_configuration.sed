# A voter grants a nominee whose voters are those of an earlier configuration.
# test: unit/world/test_world_steps
# case: voter_does_not_vote_by_an_earlier_configuration
s/if (!config_id_follows(&request->config_id, &v->config_id) ||/if (/
