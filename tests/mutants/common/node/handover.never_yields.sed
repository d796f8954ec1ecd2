# A sitting leader does not hand over for a better one.
/^handover_give_up(/,/^}/s/candidate_yield(node, now) ?/candidate_held(node) != 0 ?/
