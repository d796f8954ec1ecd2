# The part of a snapshot counts the datagram by which it was taken.
# seed: 11
# component
/^session_take(/,/^}/s/drop = frames_read(.*/node->counters.received++; & node->counters.received--;/
