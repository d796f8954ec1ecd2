# All wills of a session have the same number.
/^session_seal_will(/,/^}/s/s->wills++/s->wills/
