# A renewed grant does not move the guard.
s/v->guard_until = nsec_after(now, v->lease);/v->guard_until = v->guard_until > now ? v->guard_until : nsec_after(now, v->lease);/
