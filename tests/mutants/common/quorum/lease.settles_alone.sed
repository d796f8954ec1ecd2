# Voters that have not yet got the edition count as if they had.
# test: unit/world/test_world_steps
/^grant_counts(/,/^}/s/g->sent != 0 && g->agrees/g->sent != 0/
