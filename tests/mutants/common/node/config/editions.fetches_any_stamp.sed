# A voter fetches a stamped edition that does not follow its file.
# test: unit/node/test_node_propose
/^may_follow(/,/^}/s/edition_follows(edition, &was)/true/
