# A leader that wakes after its lease stamps its configuration.
# test: unit/node/test_node_step
/^node_wants_stamp(/,/^}/s/node_status(node, now).state == STATE_LEADER/true/
