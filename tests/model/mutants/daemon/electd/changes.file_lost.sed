# A host proposes a file that there was no memory to hold.
# test: unit/changes/test_changes
# case: host_survives_each_lack_of_memory
s/if (c->file == NULL)/if (false)/
