# No peer tells a node how often it has restarted.
# test: unit/cluster/test_cluster_heal
s/b\.restarts = .*/b.restarts = 0;/
