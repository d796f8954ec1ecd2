# A nominee stays a rival when its process has ended.
# test: unit/node/test_node_outbid
/^voting_reset(/,/^}/s/ = n->is_rival//
