# The grant leaves before the promise is durable.
# sample
/^quorum_take_claim(/,/^}/s/p->vote_due = !p->is_waiting;/p->vote_due = true;/
