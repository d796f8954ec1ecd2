# A sitting leader does not make room for a better one.
/^room_give_up(/,/^}/s/lease_yield(&node->quorum.lease, now);/;/
