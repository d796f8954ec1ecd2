# The deadline of a watch that is over counts no more.
# test: unit/control/test_control_holds
/^end_pending(/,/^}/s/view_note_given(client->view, client->pending.sent);/;/
