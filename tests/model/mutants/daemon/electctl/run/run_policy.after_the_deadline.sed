# The command is told to end, and killed, after the deadline instead of before.
# seed: 184
s/return nsec_since(policy->until, early);/return nsec_after(policy->until, early);/
