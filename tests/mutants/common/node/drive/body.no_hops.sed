# A beacon does not say how many hops it has come.
# component
/^beacon_of(/,/^}/s/beacon->hops++;/;/
