# A message of an earlier term is taken for one of this.
/^election_receive(/,/^}/s/m->term < e->term ||/false ||/
