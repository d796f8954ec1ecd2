# A helper releases a lease before the last deadline that was handed out.
/^will_push(/,/^}/s/d->sent = node_handed_out(p->node);/d->sent = 0;/
