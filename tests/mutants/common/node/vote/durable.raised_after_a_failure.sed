# A node whose disk has failed raises its incarnation all the same.
# test: unit/world/test_world_disk
/^durable_set_incarnation(/,/^}/s/ || !node_is_quorum(node)//
