# The grant leaves before the promise is durable.
# sample
/^voting_take_request(/,/^}/s/p->voting.response_due = !p->voting.is_waiting;/p->voting.response_due = true;/
