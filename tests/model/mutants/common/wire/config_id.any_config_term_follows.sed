# A stamped configuration follows a file of a higher config version: one ruled out long ago.
# test: unit/world/test_world_forgotten
# case: voter_made_by_hand_grants_nothing_below_its_file
s/if (was->config_term == 0)/if (false)/
