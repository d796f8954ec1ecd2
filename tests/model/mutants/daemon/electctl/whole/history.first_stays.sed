# Where the first events of a file are left out, the others are numbered from 1.
# script: model/sim/test_history
/^keep_from(/,/^}/s/node->first += skipped;/;/
