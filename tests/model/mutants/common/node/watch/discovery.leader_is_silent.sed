# A leader announces itself to nobody, so two clusters stay two.
# seed: 16
# sample
# component
/^speaks_for_all(/,/^}/s/node_leads(node)/false/
