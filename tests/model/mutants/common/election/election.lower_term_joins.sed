# A message of an earlier term counts in this one.
# seed: 1
/^election_receive(/,/^}/s/m->term < e->term ||/false ||/
