# A sign of the leader does not tell how far it has come.
# component
/^beacon_of(/,/^}/s/beacon->hops++;/;/
