# An echo that clocks that drift put ahead of ours is one of long ago.
# test: unit/cluster/test_cluster_group
# case: clocks_that_drift_cost_no_leader
/^timestamps_not_ahead(/,/^}/s/? own$/? echo/
