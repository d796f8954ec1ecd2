# A node that cannot contest follows a damped leader that it meets.
# test: unit/node/test_node_damping
s/	if (stays || (/	if ((/
