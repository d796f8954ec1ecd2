# A leader hands out a deadline and forgets it.
# seed: 1
/^lease_hand_out(/,/^}/s/l->handed = until;/;/
