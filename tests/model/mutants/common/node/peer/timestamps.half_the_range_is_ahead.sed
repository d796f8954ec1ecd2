# A timestamp that looks like one ahead of now counts.
# test: unit/node/test_node_group_in
/^timestamps_accept(/,/^}/s/ahead \* USEC > slack/elapsed <= UINT32_MAX \/ 2/
