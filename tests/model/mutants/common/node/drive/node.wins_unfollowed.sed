# A leader on standby does not lead in a later term that it wins.
# test: unit/node/test_node_change_quorum
/^node_win(/,/^}/s/beacon.leader.is_eligible |= node_leads(node);/if (!beacon.leader.is_eligible \&\& node_leads(node) \&\& !handover_is_made(node)) return;/
