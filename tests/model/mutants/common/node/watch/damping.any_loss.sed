# A node that lost a single peer takes itself for the one that was away.
# test: unit/cluster/test_cluster_heal
# case: two_leaders_that_hear_each_other_are_one_soon
s/return lost > 1 && lost > stayed;/return lost > 0;/
