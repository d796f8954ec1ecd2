# After ten hellos every node sends them lazily, not only one with a leader.
# test: unit/cluster/test_cluster_heal
s/p->hello.tries > HELLO_EAGER \&\& is_lazy/p->hello.tries > HELLO_EAGER/
