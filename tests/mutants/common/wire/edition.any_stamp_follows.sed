# A stamped edition follows a file of a higher generation: one ruled out long ago.
# test: unit/world/test_world_forgotten
s/if (was->stamp == 0)/if (false)/
