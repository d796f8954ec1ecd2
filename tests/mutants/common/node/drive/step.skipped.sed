# Any number of voters changes in one step.
# test: unit/world/test_world_steps
s/voters.differ > 1/voters.differ > 99/
