# A node follows the leader of an earlier term.
# seed: 2
# component
# sample
/^lead_judge(/,/^}/s/if (p->term < term)/if (p->term == 0)/
