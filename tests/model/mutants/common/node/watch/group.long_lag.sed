# A leader believes for too long that the group reaches a voter.
# test: unit/cluster/test_cluster_group
/^#define LAG_MAX/s/1/2/
