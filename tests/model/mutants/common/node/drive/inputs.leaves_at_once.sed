# A leader that is stopped does not wait for the deadline of a client.
# seed: 10
/^node_stop(/,/^}/s/node_hand_over(node, now, reason, true, NODE_NONE);/lead_drop(\&node->lead, reason, now), nominee_drop(node, now);/
