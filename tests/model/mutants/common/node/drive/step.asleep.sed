# A leader that wakes after its lease takes a step of a change.
# test: unit/node/test_node_step
s/node_status(node, now).state != STATE_LEADER/!node_leads(node)/
