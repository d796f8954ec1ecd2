# A stamped edition follows a file of a higher generation: one ruled out long ago.
# test: unit/quorum/test_voter_edition
s/if (was->stamp == 0)/if (false)/
