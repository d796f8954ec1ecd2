# The echo to the group counts from when a stamp came, not from when it was taken.
# test: unit/node/test_node_group
/^stamps_echo_taken(/,/^}/s/p->stamps.stamped/p->stamps.arrived/
