# A node that is gone stays in the settings for ever.
# test: unit/cluster/test_cluster_discovery
# case: node_that_is_gone_for_long_is_forgotten_and_may_return
/^node_forgets(/,/^}/s/if (!p->has_session \&\&/if (false \&\&/
