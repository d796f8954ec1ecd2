# The end of its lease does not end a leader.
/^quorum_is_over(/,/^}/s/return now >= until/return !node_leads(node) \&\& now >= until/
