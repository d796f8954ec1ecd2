# A renewed grant does not move the guard.
# seed: 4
s/ || until > v->guard_until)/ || v->guard_until <= now)/
