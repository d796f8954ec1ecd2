# A raised incarnation speaks before it is durable.
/^node_reincarnate(/,/^}/s/node->is_mute = node->can_persist;/;/
