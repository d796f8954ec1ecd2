# A deadline is given back that the client has not read yet.
# test: unit/control/test_control_holds
/^verb_release(/,/^}/s/>= request->held)/>= 0)/
