# A node without a leader refuses what seems too far.
# test: unit/host/test_rollout
s/if (is_up_to_date(node, now)) {/if (is_up_to_date(node, now) || true) {/
