# A sign of the leader handed round keeps it alive.
# component
/^is_news(/,/^}/s/return p->number > lead->beacon.number;/return p->number >= lead->beacon.number;/
