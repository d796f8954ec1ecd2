# Under quorum a start raises the incarnation by one.
# test: unit/state/test_store_start
s/last + (is_quorum ? INCARNATION_STRIDE : 1)/last + 1 + 0 * is_quorum/
