# A node sends back the messages that it should pass on.
/^hs_pass(/,/^}/s/RING_RIGHT : RING_LEFT/RING_LEFT : RING_RIGHT/
