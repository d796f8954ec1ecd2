# The group serves receivers of another edition.
# test: unit/node/test_node_group
/^group_reaches(/,/^}/s/editions_agree(node, p)/true/
