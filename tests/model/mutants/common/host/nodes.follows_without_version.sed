# A later file of a cluster with discovery gives no later config version.
# seed: 7
s/(list->base_config_version > running->base_config_version)/0/
