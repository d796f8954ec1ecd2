# All wills of a session bear one number.
/^will_build(/,/^}/s/p->session.wills++/p->session.wills/
