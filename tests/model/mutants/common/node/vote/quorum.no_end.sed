# A leader goes on leading when its lease is over.
# seed: 1
/^quorum_is_over(/,/^}/s/return now >= until/return !node_leads(node) \&\& now >= until/
