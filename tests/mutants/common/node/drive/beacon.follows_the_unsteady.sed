# A node that cannot contest follows an unsteady leader that it meets.
# test: unit/node/test_node_steady
s/	if (stays || (/	if ((/
