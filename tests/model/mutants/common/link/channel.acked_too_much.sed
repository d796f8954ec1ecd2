# A SACK also acknowledges messages that have not arrived.
# seed: 1
/^acknowledges(/,/^}/s/(sack >> (seq - ack - 1) & 1) != 0/sack != 0/
