# A node that settings make distrust its state does not when it is played.
# test: unit/tape/test_playback
s/write_u8(w, (uint8_t)s->state_health);/write_u8(w, 0);/
