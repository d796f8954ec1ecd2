# Two leaders of one term, below one that both have seen, both lead on.
# test: unit/node/test_node_link
/^has_crossed(/,/^}/s/(p->term == mine->term \&\&/(false \&\&/
