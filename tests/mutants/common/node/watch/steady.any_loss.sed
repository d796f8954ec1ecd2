# A node that lost a single peer takes itself for the one that was away.
# test: unit/cluster/test_cluster_heal
s/return lost > stayed;/return lost > 0;/
