# The leader of an earlier term is followed.
# component
/^lead_judge(/,/^}/s/p->term < term || p->term == 0/p->term == 0/
