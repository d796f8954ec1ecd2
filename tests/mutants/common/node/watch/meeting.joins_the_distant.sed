# In a ring the leader begins a session with whoever hears its introduction.
# test: unit/cluster/test_cluster_gathering
# case: ring_keeps_its_leader
/^wants_session(/,/^}/s/(!node_is_ring(node) ||/(true ||/
