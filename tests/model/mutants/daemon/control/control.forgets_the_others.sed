# A client gives its deadline back, and those of all others are forgotten.
# test: unit/control/test_control_holds
/^take_back(/,/^}/s/client->pending.sent > until/false/
