# What an ECHO says is not compared.
/^extinction_on_echo(/,/^}/s/rank_copy(&e->best, &m->rank);/;/
