# The age of what is known of the leader is told in microseconds.
# test: unit/control/test_control_values
/^leader_at(/,/^}/s/nsec_since(now, status.heard) \/ MSEC/nsec_since(now, status.heard) \/ USEC/
