# A planned handover does not wait for one configuration.
# test: unit/node/test_node_configs
/^handover_deadline(/,/^}/s/handover->at < mixed_until/false/
