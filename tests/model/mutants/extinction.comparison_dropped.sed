# A node does not compare the rank that an ECHO carries.
/^extinction_on_echo(/,/^}/s/rank_copy(&e->best, &m->rank);/;/
