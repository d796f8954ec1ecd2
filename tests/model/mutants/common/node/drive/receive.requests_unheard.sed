# A node that does not hear the nominee ignores what others say of its request.
# seed: 244
/^body_take(/,/^}/s/b->watch & WATCH_REQUEST/false/
