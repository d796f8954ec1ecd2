# A node fetches an earlier edition, too.
# test: unit/node/test_node_editions
/^fetch_wants(/,/^}/s/if (edition_compare(edition, &node->setup.edition) <= 0)/if (edition_compare(edition, \&node->setup.edition) == 0)/
