# A node sends under a raised incarnation before that is durable.
# seed: 2
/^durable_set_incarnation(/,/^}/s/node->out.disk.can_persist || !node_is_quorum(node)/false/
