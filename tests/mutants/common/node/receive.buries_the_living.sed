# A will buries whoever is there, a later process too.
# sample
/^will_receive(/,/^}/s/incarnation = head->incarnation;/incarnation = p->process.incarnation;/
