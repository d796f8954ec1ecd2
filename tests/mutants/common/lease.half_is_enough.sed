# Half of the voters are a quorum.
s,voters / 2 + 1,(voters + 1) / 2,
