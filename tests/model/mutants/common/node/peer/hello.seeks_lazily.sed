# After ten hellos every node sends them lazily, not only one with a leader.
# test: unit/cluster/test_cluster_heal
# case: two_leaders_that_hear_each_other_are_one_soon
s/p->hello.tries > HELLO_EAGER \&\& is_lazy/p->hello.tries > HELLO_EAGER/
