# A leader that is stopped does not wait for the deadline of a client.
/^node_stop(/,/^}/s/handover_make(node, now, reason, true, NODE_NONE);/node_unfollow(node, now, reason);/
