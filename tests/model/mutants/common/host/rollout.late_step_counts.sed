# A leader takes a step although another term has begun.
# test: unit/host/test_rollout
s/(s.state != STATE_LEADER || s.term/(s.state != STATE_LEADER \&\& s.term/
