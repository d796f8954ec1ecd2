# A node that flaps takes over each time that it is back.
# test: unit/cluster/test_cluster_heal
s/return count < 2 ? 0 : least << (count - 2);/(void)least; return 0;/
