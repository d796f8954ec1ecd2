# A node takes the messages of another edition.
# test: unit/node/test_node_editions
/^messages_take(/,/^}/s/if (tag != edition_tag(&node->setup.edition))/if (false \&\& tag != 0)/
