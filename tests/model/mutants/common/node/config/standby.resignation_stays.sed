# A node that resigned and is then set aside abstains when that has ended.
# test: unit/node/test_standby
/^standby_set(/,/^}/s/standby->is_on && cause != STANDBY_RESIGNED/false/
