# A helper releases although a deadline lies ahead that was handed out.
/^will_die(/,/^}/s/free_at = clock_world(p, node_handed_out(p->node));/free_at = at;/
