# A node that does not hear the nominee ignores what others say of its request.
/^body_take(/,/^}/s/b->watch & WATCH_REQUEST/false/
