# The announcement is not passed on.
/^ring_list_on_coordinator(/,/^}/s/outbox_send(out, RING_RIGHT, m);/;/
