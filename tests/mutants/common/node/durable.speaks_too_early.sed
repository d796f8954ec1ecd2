# A raised incarnation speaks before it is durable.
/^durable_set_incarnation(/,/^}/s/node->out.disk.is_mute = node->out.disk.can_persist;/;/
