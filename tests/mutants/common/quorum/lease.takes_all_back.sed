# A client gives its deadline back, and that of another one is forgotten.
/^lease_take_back(/,/^}/s/nsec_earlier(l->handed, until)/0/
