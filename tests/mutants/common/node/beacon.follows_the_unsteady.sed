# Who cannot contest follows an unsteady leader that it meets.
# test: unit/cluster/test_cluster_heal
s/	if (stays)$/	if (false)/
