# A deadline is given back that the client has not read yet.
# test: unit/control/test_control_deadlines
/^verb_release(/,/^}/s/json_integer_value(until) >= (json_int_t)request->held/true/
