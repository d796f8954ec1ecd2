# A client that says that it does not leave gives all its deadlines back.
# test: unit/control/test_control_holds
s/request_has(request, "leaves")/json_object_get(request->body, "leaves") != NULL/
