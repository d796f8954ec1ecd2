# A leader that hands over does not give up the lead.
# seed: 117
/^handover_give_up(/,/^}/s/nominee_yield(node, now) ?/nominee_held(node) != 0 ?/
