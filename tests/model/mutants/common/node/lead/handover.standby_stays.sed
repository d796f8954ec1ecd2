# A leader on standby leads on if nobody takes over.
# test: unit/cluster/test_cluster_standby
/^handover_may_stay(/,/^}/s/ \&\& !standby_is_firm(node)//
