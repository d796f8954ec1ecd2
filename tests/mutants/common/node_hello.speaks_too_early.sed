# A raised incarnation speaks before it is durable.
/^node_raise(/,/^}/s/node->is_mute = node->can_persist;/;/
