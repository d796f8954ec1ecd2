# A node that resigned is on standby again once an order for standby has ended.
# test: unit/node/test_standby
/^standby_set(/,/^}/s/standby->is_on && cause != STANDBY_RESIGNED/false/
