# Who is refused asks again, and again.
# component
/^liveness_tick_refusal(/,/^}/s/p->live.ask_at = NSEC_NEVER;/p->live.ask_at = now;/
