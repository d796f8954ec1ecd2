# A node follows the leader of an earlier term.
# component
# sample
/^lead_judge(/,/^}/s/if (p->term < term)/if (p->term == 0)/
