# A voter that missed requests answers the next one with its heartbeat.
# test: unit/cluster/test_cluster_group
/^voting_take_request(/,/^}/s/if (has_missed/if (false/
