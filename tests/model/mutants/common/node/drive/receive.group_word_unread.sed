# A peer with an old word is not told the new one.
# test: unit/node/test_node_group
/^group_frames_take(/,/^}/s/d->group_heard.word != group_word(&body)/false/
