# A node on standby leads if an election has named it before.
# test: unit/cluster/test_cluster_standby
# case: node_that_listens_does_not_lead_either
/^leadership_is_barred(/,/^}/s/standby_is_firm(node) \&\&/false \&\&/
