# A node that settings make distrust its state does not when it is played.
# test: unit/tape/test_playback
# case: node_that_settings_make_distrust_its_state_does_when_it_is_played
s/write_u8(w, (uint8_t)s->state_health);/write_u8(w, 0);/
