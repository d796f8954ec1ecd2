# A node that is gone stays in the settings for ever.
# test: unit/cluster/test_cluster_gathering
/^node_forgets(/,/^}/s/if (!p->has_session \&\&/if (false \&\&/
