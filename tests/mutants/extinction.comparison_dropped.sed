# What an ECHO says is not compared.
/^extinction_on_echo(/,/^}/s/extinction_keep(e, &m->rank);/;/
