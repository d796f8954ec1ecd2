# Another number of a host's own settings, as the ttl of multicast, is no change.
# test: unit/config/test_settings_changes
s/take(context, change, row->name);/if (config_bytes(row) != 4) &/
