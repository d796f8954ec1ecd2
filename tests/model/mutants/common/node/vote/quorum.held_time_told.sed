# A leader tells the group a lease left that a held timestamp makes too long.
# test: unit/node/test_node_group
/^quorum_lease_left_of_all(/,/^}/s/left = nsec_since(left, less);/;/
