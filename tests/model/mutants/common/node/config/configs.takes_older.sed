# A node fetches an earlier configuration, too.
# test: unit/node/test_node_configs
/^is_useful(/,/^}/s/config_id_compare(config_id, own) > 0;/config_id_compare(config_id, own) != 0;/
