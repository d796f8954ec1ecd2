# A leader forgets a voter that is gone.
# test: unit/cluster/test_cluster_gathering_quorum
/^node_forgets(/,/^}/s/!p->setup.is_configured/true/
