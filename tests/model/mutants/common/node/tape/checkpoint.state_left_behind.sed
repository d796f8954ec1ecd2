# The state of an instance that is played points to where its view was.
# test: unit/tape/test_playback
/^node_restore(/,/^}/s/move_state(&node->election,/(void)(\&node->election,/
