# A node that returns elects before it knows who leads.
# test: unit/cluster/test_cluster_return
/^voters_are_certain(/,/^}/s/voters_counts(node, p) && p->link.is_up &&/voters_counts(node, p) \&\&/
