# An urgent byte hides the file that comes with it.
# test: unit/system/test_unix_peer
/^unix_peer_begin(/,/^}/s/int yes = 1/int yes = 0/
