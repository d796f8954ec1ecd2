# A node that is set aside leads if an election has named it before.
# test: unit/cluster/test_cluster_standby
/^leadership_is_barred(/,/^}/s/standby_is_on(node) \&\&/false \&\&/
