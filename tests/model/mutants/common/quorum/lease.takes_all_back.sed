# A client gives its deadline back, and that of another one is forgotten.
# seed: 4
/^lease_take_back(/,/^}/s/nsec_earlier(l->handed, until)/0/
