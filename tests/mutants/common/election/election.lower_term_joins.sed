# A message of an earlier term counts in this one.
/^election_receive(/,/^}/s/m->term < e->term ||/false ||/
