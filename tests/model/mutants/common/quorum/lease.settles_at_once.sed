# A lease that rests on the voters before counts for the next step.
# test: unit/world/test_world_steps
s/l->is_earlier = l->held != 0;/l->is_earlier = false;/
