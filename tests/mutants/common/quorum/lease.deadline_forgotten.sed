# A leader hands out a deadline and forgets it.
/^lease_hand_out(/,/^}/s/l->handed = until;/;/
