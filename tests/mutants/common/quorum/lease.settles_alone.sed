# Voters that have not yet got the edition count as if they had.
# test: unit/world/test_world_steps
s/sent != 0 \&\& l->grants\[i\].agrees/sent != 0/
