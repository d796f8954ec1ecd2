# A node that leads alone never says so to those that have no leader.
# test: unit/cluster/test_cluster_return
# case: lone_leaders_that_meet_become_one
s/if (node->lead.is_lone \&\& p->link.is_up \&\& .*/if (false)/
