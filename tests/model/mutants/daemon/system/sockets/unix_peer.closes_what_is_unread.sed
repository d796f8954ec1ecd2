# The loop closes connections in which files wait unread.
# test: unit/system/test_unix_peer
/^unix_peer_close(/,/^}/s/!drain(fd) && closer_make()/false/
