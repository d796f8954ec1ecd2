# The grant leaves before the promise is durable.
# sample
/^quorum_take_request(/,/^}/s/p->vote_due = !p->is_waiting;/p->vote_due = true;/
