# A message counts in any session of its link.
# seed: 11
/^election_receive(/,/^}/s/e->sessions\[in.link\] != e->setup.links\[link\].session/false/
