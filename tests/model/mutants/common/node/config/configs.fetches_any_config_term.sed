# A voter fetches a stamped configuration that does not follow its file.
# test: unit/node/test_node_propose
/^may_follow(/,/^}/s/config_id_follows(config_id, &was)/true/
