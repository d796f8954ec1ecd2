# The state of an instance that is played points to where its view was.
# test: unit/tape/test_playback
/^election_shift(/,/^}/s/state_shift(e, view_was);/(void)view_was;/
