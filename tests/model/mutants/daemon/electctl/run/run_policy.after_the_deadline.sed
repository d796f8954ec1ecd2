# The command is told to end, and killed, after the deadline instead of before.
# seed: 184
s/return nsec_since(plan->until, early);/return nsec_after(plan->until, early);/
