# All wills of a session have the same number.
# seed: 1
/^session_seal_will(/,/^}/s/s->wills++/s->wills/
