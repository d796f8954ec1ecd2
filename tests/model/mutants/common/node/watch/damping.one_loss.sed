# A node that lost one peer, which is back before others speak, was away.
# test: unit/node/test_node_damping
s/return lost > 1 && lost > stayed;/return lost > stayed;/
