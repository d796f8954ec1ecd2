# The echo to the group counts from when a timestamp came, not from when it was taken.
# test: unit/node/test_node_group
/^timestamps_echo_taken(/,/^}/s/p->timestamps.timestamped/p->timestamps.arrived/
