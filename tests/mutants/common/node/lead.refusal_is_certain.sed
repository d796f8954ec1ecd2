# A follower whose datagrams a firewall refuses takes the leader for dead at once.
# test: unit/cluster/test_cluster_return
/^lead_was_silent(/,/^}/s/kind == REASON_REFUSED/false/
