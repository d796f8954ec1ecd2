# Datagrams do not bear the name of a snapshot that their sender has recorded.
# test: unit/cluster/test_cluster_snapshot
# case: all_are_consistent_cuts_in_any_storm
/^is_awaited(/,/^}/s/return marker != 0/return false \&\& marker != 0/
