# A node asks the better nodes, but takes itself for the best all the same.
/^bully_start(/,/^}/s/is_best = false;/;/
