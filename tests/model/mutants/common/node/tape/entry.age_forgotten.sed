# A datagram is played as if it had not waited.
# test: unit/tape/test_playback
# case: every_node_of_a_swarm_does_the_same_again
/^write_datagram(/,/^}/s/write_u64(w, in->age);/write_u64(w, 0);/
