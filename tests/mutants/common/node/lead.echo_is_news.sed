# An old beacon that goes round keeps the leader alive.
# component
/^is_news(/,/^}/s/return p->number > lead->beacon.number;/return p->number >= lead->beacon.number;/
