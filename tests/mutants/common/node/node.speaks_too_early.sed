# A raised incarnation speaks before it is durable.
/^node_reincarnate(/,/^}/s/node->disk.is_mute = node->disk.can_persist;/;/
