# A change of the configuration loses the messages under way.
# test: unit/node/test_node_change
/^node_change(/,/^}/s/node->blocks = blocks_move(cut.blocks, blocks, old->blocks);/node->blocks = blocks_init(cut.blocks, blocks);/
