# A nominee on standby goes on with its vote requests and its election.
# test: unit/cluster/test_cluster_standby
# case: node_that_is_about_to_be_elected_does_not_lead
/^node_set_standby(/,/^}/s/node_withdraw(node, now);/node_heed_handover(node, now, HANDOVER_GOES_ON);/
