# A datagram is played as if it had not waited.
# test: unit/tape/test_playback
/^write_datagram(/,/^}/s/write_u64(w, in->age);/write_u64(w, 0);/
