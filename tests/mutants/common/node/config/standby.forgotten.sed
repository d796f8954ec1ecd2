# A restart ends a standby.
# test: unit/cluster/test_cluster_standby
/^standby_init(/,/^}/s/node->standby.told = node->setup.standby;/node->standby.told.is_on = false;/
