# What the disk does not take is tried again at once.
# seed: 10
s/nsec_after(now, ROLLOUT_PAUSE)/now/
