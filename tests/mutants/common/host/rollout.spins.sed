# What the disk does not take is tried again at once.
# test: unit/host/test_rollout
s/nsec_after(now, ROLLOUT_PAUSE)/now/
