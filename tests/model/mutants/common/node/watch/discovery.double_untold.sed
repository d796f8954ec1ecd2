# A leader that hears of a second process of a peer says so to nobody.
# test: unit/cluster/test_cluster_discovery
# case: two_processes_of_one_id_are_told
/^meet_peer(/,/^}/s/if (is_double \&\& is_live)/if (false)/
