# All wills of a session bear one number.
/^session_seal_will(/,/^}/s/s->wills++/s->wills/
