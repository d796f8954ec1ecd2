# The loop takes the files that a client passes, and waits until they are ended.
# test: unit/system/test_unix_peer
/^unix_peer_read(/,/^}/s/message.msg_flags & MSG_CTRUNC/false/
