# Who is refused asks again, and again.
# component
/^refusal_tick(/,/^}/s/p->live.ask_at = NSEC_NEVER;/p->live.ask_at = now;/
