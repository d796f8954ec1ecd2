# Two keys may count from one number.
# test: unit/node/test_node_group
/^group_change(/,/^}/s/g->number++;/g->number += g->number == 0;/
