# Who claimed in vain is elected again.
# test: test_world_disk
s/node->is_abstaining = true;/node->is_abstaining = false;/
