# A node whose disk failed as it raised its incarnation sends under that one.
# test: unit/world/test_world_disk
/^durable_written(/,/^}/s/: node_is_quorum(node))/: true)/
