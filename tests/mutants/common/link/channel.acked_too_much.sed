# A SACK acknowledges what has not arrived, too.
/^acknowledges(/,/^}/s/(sack >> (seq - ack - 1) & 1) != 0/sack != 0/
