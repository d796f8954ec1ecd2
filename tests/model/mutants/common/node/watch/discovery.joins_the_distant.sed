# In a ring the leader begins a session with whoever hears its announcement.
# test: unit/cluster/test_cluster_discovery
# case: ring_keeps_its_leader
/^wants_session(/,/^}/s/(!node_is_ring(node) ||/(true ||/
