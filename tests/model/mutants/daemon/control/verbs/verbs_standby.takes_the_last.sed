# An operator takes the last node that could lead by mistake.
# test: unit/control/test_control_standby
s/status.eligible != 1)/true)/
