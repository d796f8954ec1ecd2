# A node whose record was rolled back votes and stands.
/^quorum_is_able(/,/^}/s/node->setup.memory == MEMORY_SOUND/node->setup.memory != MEMORY_LOST/
