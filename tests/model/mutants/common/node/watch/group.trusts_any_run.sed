# A peer that has taken the latest group datagram hears us.
# test: unit/node/test_node_group
/^group_take_heard(/,/^}/s/heard->run >= RUN_MIN \&\&/heard->run > 0 \&\&/
