# A deadline is handed out and forgotten.
/^lease_hand_out(/,/^}/s/l->handed = until;/;/
