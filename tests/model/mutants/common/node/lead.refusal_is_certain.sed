# A follower whose datagrams a firewall refuses takes the leader for dead at once.
# test: unit/cluster/test_cluster_return
# case: follower_that_a_firewall_refuses_costs_no_term
/^lead_was_silent(/,/^}/s/kind == REASON_REFUSED/false/
