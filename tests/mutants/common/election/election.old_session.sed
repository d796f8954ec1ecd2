# A message counts whatever session of its link it came by.
/^election_receive(/,/^}/s/e->sessions\[in.link\] != e->setup.links\[link\].session/false/
