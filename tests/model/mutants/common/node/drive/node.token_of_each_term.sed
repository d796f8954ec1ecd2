# A leader that wins a later term while it leads gets another token.
# test: unit/cluster/test_cluster_token
# case: leader_that_wins_a_later_term_keeps_its_token
/^node_follow(/,/^}/s/node_leads(node) ? node->lead.beacon.token/false ? node->lead.beacon.token/
