# A node whose disk has failed raises its incarnation all the same.
# test: unit/world/test_world_disk
# case: process_that_cannot_keep_its_incarnation_ends_unheard
/^durable_set_incarnation(/,/^}/s/ || !node_is_quorum(node)//
