# After ten hellos all are lazy, not only who follows a leader.
# test: unit/cluster/test_cluster_heal
s/p->hello.tries > HELLO_EAGER \&\& is_lazy/p->hello.tries > HELLO_EAGER/
