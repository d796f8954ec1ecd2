# A copy of an introduction makes its sender known.
# test: unit/cluster/test_cluster_gathering
# case: copies_of_introductions_change_nothing
/^is_echo(/,/^}/s/return memcmp(echo, m->challenge, SALT_BYTES) == 0 ||/return true ||/
