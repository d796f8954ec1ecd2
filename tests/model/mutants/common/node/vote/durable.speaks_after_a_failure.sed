# A node whose disk failed as it raised its incarnation sends under that one.
# test: unit/world/test_world_disk
# case: process_that_cannot_keep_its_incarnation_ends_unheard
/^durable_written(/,/^}/s/: node_is_quorum(node))/: true)/
