# Without memory the number of a peer is taken for a name.
# test: unit/changes/test_changes
# case: host_survives_each_lack_of_memory
s/	if (peer->is_number) {/	if (address_read(peer->node->address, \&peer->address)) {/
