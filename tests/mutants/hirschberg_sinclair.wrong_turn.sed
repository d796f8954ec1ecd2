# What is passed on goes back.
/^hs_pass(/,/^}/s/RING_RIGHT : RING_LEFT/RING_LEFT : RING_RIGHT/
