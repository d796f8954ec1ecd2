# A suspended host's lease clock stands still.
# test: unit/cluster/test_cluster_faults
/^world_pause(/,/^}/s/p->paused = true;/p->paused = p->frozen = true;/
