# An operator does not hear that what was asked for has ended.
# test: unit/changes/test_changes
# case: settings_come_into_effect_by_guarantee_and_disk
s/r->end = c->rollout.ends\[o\];/continue;/
