# A node that leads alone tells the first that it hears.
# test: unit/cluster/test_cluster_return
s/ \&\& !lead->is_lone;/;/
