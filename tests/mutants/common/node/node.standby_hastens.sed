# A leader that is set aside does not wait for peers that change their settings.
# test: unit/cluster/test_cluster_standby
/^node_end_barred(/,/^}/s/ || editions_are_mixed(node, now)//
