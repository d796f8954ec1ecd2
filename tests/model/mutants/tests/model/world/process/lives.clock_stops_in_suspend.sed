# A suspended host's lease clock stands still.
# test: unit/cluster/test_cluster_faults
/^world_pause(/,/^}/s/p->paused = true;/p->paused = true, clock_freeze(\&p->clock, w->now);/
