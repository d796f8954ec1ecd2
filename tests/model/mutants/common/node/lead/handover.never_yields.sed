# A leader that hands over does not give up the lead.
# seed: 117
/^handover_give_up(/,/^}/s/candidate_yield(node, now) ?/candidate_held(node) != 0 ?/
