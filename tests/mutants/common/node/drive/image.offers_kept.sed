# The keys that a node has offered go to the tape.
# test: unit/tape/test_playback
/^hide(/,/^}/s/handshake_hide(&peers\[i\]);/;/
