# Half of the voters are a quorum.
# seed: 2
# sample
s,voters / 2 + 1,(voters + 1) / 2,
