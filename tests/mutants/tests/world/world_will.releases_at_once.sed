# A helper releases although a deadline lies ahead that was handed out.
/^will_push(/,/^}/s/d->sent = node_handed_out(p->node);/d->sent = 0;/
