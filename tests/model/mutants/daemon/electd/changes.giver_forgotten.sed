# A host forgets which node gave the settings that it keeps.
# test: unit/changes/test_changes
# case: settings_that_cannot_be_in_effect_are_refused
s/c->giver = d->giver;/c->giver = NODE_NONE;/
