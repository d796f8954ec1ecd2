# A session that follows another one takes its place in the record.
# test: unit/cluster/test_cluster_snapshot
# case: all_are_consistent_cuts_in_any_storm
/^snapshot_on_session(/,/^}/s/!p->snapshots.parts\[i\].is_listed/true/
