# What a check says takes the place of what an operator said.
# test: unit/node/test_standby
/^standby_first(/,/^}/s/unsigned cause = 0;/unsigned cause = node->standby.told[STANDBY_CHECK].is_on;/
