# A leader sends nothing but the group to whom it serves.
# test: unit/cluster/test_cluster_group
# case: leader_beats_by_one_datagram
s/group_reaches(node, p) && !unicast_is_due(node, now, p)/group_reaches(node, p)/
