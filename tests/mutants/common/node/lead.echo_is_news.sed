# A sign of the leader handed round keeps it alive.
# component
/^is_news(/,/^}/s/return lead->is_fresh && p->hops == 0;/return true;/
