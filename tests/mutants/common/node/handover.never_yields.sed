# A sitting leader does not hand over for a better one.
/^handover_give_up(/,/^}/s/lease_yield(&node->quorum.lease, now);/;/
