# A node that nobody hears takes what its peers sent before for their answers.
# test: unit/cluster/test_cluster_return
/^stamps_answered(/,/^}/s/? p->stamps.answered/? p->stamps.arrived/
