# A node that hears that its leader died waits until a peer answers.
# test: unit/cluster/test_cluster_return
s/ || lead_was_told_over(&node->lead) ||/ ||/
