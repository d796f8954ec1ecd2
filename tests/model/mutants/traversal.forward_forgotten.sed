# The announcement is not passed on.
/^traversal_decide(/,/^}/s/outbox_send(out, i, &m);/;/
