# A client gives its deadline back, and those of all others are forgotten.
# test: unit/control/test_control_deadlines
/^give_back(/,/^}/s/client->pending.sent > until/false/
