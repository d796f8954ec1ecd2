# Voters that nobody watches count as heard when the leader falls silent.
# test: unit/cluster/test_cluster_return
s/		return is_silent;/		return false;/
