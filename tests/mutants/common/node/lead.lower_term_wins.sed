# The leader of an earlier term is followed.
# component
# sample
/^lead_judge(/,/^}/s/if (p->term < term)/if (p->term == 0)/
