# The deadline of a watch that is over counts no more.
# test: unit/control/test_control_deadlines
/^end_pending(/,/^}/s/view_keep(client->view, client->pending.sent);/;/
