# A later election has the links of the first.
# seed: 1
/^election_renew(/,/^}/s/election_look(e, self);/if (e->run_term == 0) election_look(e, self);/
