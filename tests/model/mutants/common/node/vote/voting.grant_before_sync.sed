# The grant leaves before the promise is durable.
# seed: 1
# sample
/^voting_answer(/,/^}/s/p->nominee.response_due = !p->nominee.is_waiting;/p->nominee.response_due = true;/
