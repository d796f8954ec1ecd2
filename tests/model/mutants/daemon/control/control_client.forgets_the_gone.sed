# The deadline of a client that is gone counts no more.
# test: unit/control/test_control_holds
/^client_free(/,/^}/s/view_note_given(client->view, client->pending.sent);/;/
