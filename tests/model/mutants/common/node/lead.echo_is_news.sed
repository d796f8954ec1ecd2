# An old beacon that goes round keeps the leader alive.
# seed: 2
# component
/^is_news(/,/^}/s/return p->number > lead->beacon.number;/return p->number >= lead->beacon.number;/
