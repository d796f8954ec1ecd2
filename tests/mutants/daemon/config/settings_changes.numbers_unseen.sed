# Another number of a host's own settings, as the ttl of multicast, is no change.
# test: unit/config/test_settings_changes
s/if (row->count_at == 0)/if (config_bytes(row) == 4) return true; if (row->count_at == 0)/
