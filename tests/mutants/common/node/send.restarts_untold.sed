# Nobody tells a node how often it was restarted.
# test: unit/cluster/test_cluster_heal
s/\.restarts = .*/.restarts = 0,/
