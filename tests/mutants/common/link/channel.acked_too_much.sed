# A SACK also acknowledges messages that have not arrived.
/^acknowledges(/,/^}/s/(sack >> (seq - ack - 1) & 1) != 0/sack != 0/
