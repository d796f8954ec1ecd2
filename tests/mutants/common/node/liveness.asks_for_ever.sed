# Who is refused asks again, and again.
# component
/^refusal_tick(/,/^}/s/p->ask_at = NSEC_NEVER;/p->ask_at = now;/
