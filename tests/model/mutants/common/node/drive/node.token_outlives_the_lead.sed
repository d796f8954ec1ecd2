# A leader keeps its token over a gap in which another one led.
# seed: 1
/^node_follow(/,/^}/s/node_leads(node) ? node->lead.beacon.token/node->lead.beacon.token != 0 ? node->lead.beacon.token/
