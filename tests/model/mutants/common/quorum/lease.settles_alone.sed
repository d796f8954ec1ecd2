# Voters that have not yet got the configuration count as if they had.
# test: unit/world/test_world_steps
# case: next_step_waits_until_a_majority_has_the_one_before
/^grant_counts(/,/^}/s/g->sent != 0 && g->agrees/g->sent != 0/
