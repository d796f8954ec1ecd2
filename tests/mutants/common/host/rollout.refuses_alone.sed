# A node without a leader refuses what seems too far.
# test: unit/host/test_rollout
s/return is_up_to_date(node, now) ? wish_refuse/return true ? wish_refuse/
