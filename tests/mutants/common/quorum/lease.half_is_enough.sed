# Half of the voters are a quorum.
# sample
s,voters / 2 + 1,(voters + 1) / 2,
