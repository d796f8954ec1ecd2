# A leader that is stopped does not wait for the deadline of a client.
/^node_stop(/,/^}/s/room_make(node, now, cause, true, NODE_NONE);/node_unfollow(node, now, cause);/
