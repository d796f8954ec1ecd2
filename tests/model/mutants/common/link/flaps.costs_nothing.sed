# A node that flaps takes over each time that it is back.
# test: unit/cluster/test_cluster_heal
# case: host_that_flaps_changes_the_leader_seldom
s/return count < 2 ? 0 : least << (count - 2);/(void)least; return 0;/
