# When a peer was heard last is told as the time since its link has changed.
# test: unit/control/test_control_values
s/"heard_ms", peer->heard != 0, nsec_since(now, peer->heard)/"heard_ms", peer->heard != 0, nsec_since(now, peer->changed)/
