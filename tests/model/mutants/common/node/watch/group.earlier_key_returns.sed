# A key that came late replaces a later one.
# test: unit/node/test_node_group_in
/^group_take_key(/,/^}/s/key->first <= g->first/false/
