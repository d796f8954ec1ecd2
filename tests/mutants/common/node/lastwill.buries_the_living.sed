# A will buries whoever is there, a later process too.
# sample
/^peer_bury(/,/^}/s/if (incarnation <= p->process.dead_incarnation)/if (p->has_session) incarnation = p->process.incarnation; else if (incarnation <= p->process.dead_incarnation)/
