# Settings come into effect although the disk has refused them.
# test: unit/changes/test_changes
# case: settings_come_into_effect_by_guarantee_and_disk
s/electd_wake(e), error == 0)) {/electd_wake(e), true)) {/
