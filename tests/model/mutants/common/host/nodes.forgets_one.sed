# A list leaves out one node that is gone, and the others stay.
# test: unit/host/test_nodes
s~(gone = node_forgets(node, now, gone)) != NODE_NONE)~gone == NODE_NONE \&\& &~
