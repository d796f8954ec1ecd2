# A datagram is played as if it had not waited.
# test: unit/tape/test_playback
/^record_receive(/,/^}/s/write_u64(w, age);/write_u64(w, 0);/
