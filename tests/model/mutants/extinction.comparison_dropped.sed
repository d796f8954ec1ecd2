# A node does not compare the rank that an ECHO carries.
/^extinction_on_echo(/,/^}/s/e->best = m->rank;/;/
