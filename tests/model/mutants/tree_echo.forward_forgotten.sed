# The announcement is not passed on.
/^echo_decide(/,/^}/s/echo_send(e, i, ECHO_LEADER, out);/;/
