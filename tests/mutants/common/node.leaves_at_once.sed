# A leader that is stopped does not wait for the deadline of a client.
/^node_stop(/,/^}/s/node->is_leaving = q->lease.handed > now;/node->is_leaving = false;/
