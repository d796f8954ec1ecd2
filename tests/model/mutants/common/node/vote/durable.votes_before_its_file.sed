# A voter that is admitted votes before its new state is durable.
# test: unit/node/test_node_admit
/^durable_admit(/,/^}/s/disk->admits = true;/disk->admits = true; node->setup.state_health = STATE_HEALTH_SOUND;/
