# A beacon does not say how many hops it has come.
# seed: 1
# component
/^beacon_of(/,/^}/s/beacon->hops++;/;/
