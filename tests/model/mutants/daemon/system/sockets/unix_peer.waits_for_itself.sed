# A client that passed its own end and went is waited for.
# test: unit/system/test_unix_peer
s/return drain(fd) && ioctl/return ioctl/
