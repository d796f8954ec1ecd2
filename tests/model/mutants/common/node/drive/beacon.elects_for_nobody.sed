# An election goes on though a peer says that nobody is eligible.
# test: unit/node/test_node_link
/^node_heed_nobody(/,/^}/s/node->lead.is_fresh ||/true ||/
