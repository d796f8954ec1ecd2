# A raised incarnation speaks before it is durable.
/^durable_set_incarnation(/,/^}/s/node->disk.is_mute = node->disk.can_persist;/;/
