# The group serves receivers of another configuration.
# test: unit/node/test_node_group
/^group_reaches(/,/^}/s/configs_agree(node, p)/true/
