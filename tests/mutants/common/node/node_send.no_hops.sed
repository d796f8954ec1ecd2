# A sign of the leader does not tell how far it has come.
# component
/^pulse_of(/,/^}/s/pulse->hops++;/;/
