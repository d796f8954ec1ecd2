# A program begins on a lead that is about to end.
# test: unit/world/test_world_run
# case: nothing_begins_beside_a_leader_that_nobody_hears
s/return sent > now || .*/return true;/
