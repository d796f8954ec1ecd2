# A follower that lost only its leader does not see that it was cut off.
# test: unit/cluster/test_cluster_heal
# case: host_that_flaps_changes_the_leader_seldom
s/if (lost_at <= node->damping.alone_at/if (false/
