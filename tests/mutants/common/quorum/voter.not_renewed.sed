# A renewed grant does not move the guard.
s/ || until > v->guard_until)/ || v->guard_until <= now)/
