# A stamped edition follows a file of a higher generation: one ruled out long ago.
# test: unit/world/test_world_forgotten
# case: voter_made_by_hand_grants_nothing_below_its_file
s/if (was->stamp == 0)/if (false)/
