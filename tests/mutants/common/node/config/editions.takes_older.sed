# A node fetches an earlier edition, too.
# test: unit/node/test_node_editions
/^is_useful(/,/^}/s/edition_compare(edition, own) > 0;/edition_compare(edition, own) != 0;/
