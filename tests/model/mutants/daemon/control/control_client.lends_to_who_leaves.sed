# A client that leaves is lent the next deadline, which it does not give back.
# test: unit/control/test_control_deadlines
s/client->pending.has_deadlines = false;/client->pending.has_deadlines = true;/
