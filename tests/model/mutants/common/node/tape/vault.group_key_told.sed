# The key of a group goes to the tape.
# test: unit/tape/test_playback
# case: each_kind_of_input_is_played
/^frames_hide_keys(/,/^}/s/if (f.type == FRAME_GROUP_KEY)/if (false)/
