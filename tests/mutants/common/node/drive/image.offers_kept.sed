# A key that a node has offered goes to the tape.
# test: unit/tape/test_playback
s/^	SECRET(peer, handshake.offer.session.send_key),/	SECRET(peer, group.key),/
