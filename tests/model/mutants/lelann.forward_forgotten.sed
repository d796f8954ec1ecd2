# The announcement is not passed on.
/^lelann_on_leader(/,/^}/s/outbox_send(out, RING_RIGHT, m);/;/
