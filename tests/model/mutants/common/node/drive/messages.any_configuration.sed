# A node takes the messages of another configuration.
# test: unit/node/test_node_configs
/^messages_take(/,/^}/s/if (tag != config_tag(&node->setup.config_id))/if (false \&\& tag != 0)/
