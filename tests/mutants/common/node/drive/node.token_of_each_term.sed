# A leader that wins a later term while it leads gets another token.
# test: unit/cluster/test_cluster_token
/^node_follow(/,/^}/s/node_leads(node) ? node->lead.beacon.token/false ? node->lead.beacon.token/
