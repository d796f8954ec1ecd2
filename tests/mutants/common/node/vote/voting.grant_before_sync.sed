# The grant leaves before the promise is durable.
# sample
/^voting_answer(/,/^}/s/p->nominee.response_due = !p->nominee.is_waiting;/p->nominee.response_due = true;/
