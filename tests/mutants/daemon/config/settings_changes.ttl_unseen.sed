# Another ttl of multicast is no change.
# test: unit/config/test_settings_changes
s/ && a->ttl == b->ttl &&/ \&\&/
