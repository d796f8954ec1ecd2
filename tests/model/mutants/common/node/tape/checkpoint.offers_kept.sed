# A key that a node has offered goes to the tape.
# test: unit/tape/test_playback
# case: no_key_is_on_a_tape
s/^	SECRET(peer, handshake.offer.session.send_key),/	SECRET(peer, group.key),/
