# A program begins on a lead that is about to end.
# test: unit/world/test_world_run
s/return sent > now || .*/return true;/
