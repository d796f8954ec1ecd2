# A damaged leader is shown.
# test: unit/state/test_reigns
s/if (memcmp(sum, right, sizeof(right)) != 0)/if (sum == NULL)/
