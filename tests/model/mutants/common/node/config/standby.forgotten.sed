# A restart ends a standby.
# test: unit/cluster/test_cluster_standby
# case: leader_hands_over_and_stays_on_standby
/^standby_init(/,/^}/s/node->standby.told.STANDBY_ORDER. = node->setup.standby;/node->standby.told[STANDBY_ORDER].is_on = false;/
