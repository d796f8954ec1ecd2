# A client that leaves gets the next deadline, which it does not give back.
# test: unit/control/test_control_holds
s/client->pending.has_deadlines = false;/client->pending.has_deadlines = true;/
