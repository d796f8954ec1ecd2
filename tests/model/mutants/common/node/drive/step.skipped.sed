# Any number of voters changes in one step.
# test: unit/world/test_world_steps
# case: step_by_several_voters_is_not_taken
s/voters.differ > 1/voters.differ > 99/
