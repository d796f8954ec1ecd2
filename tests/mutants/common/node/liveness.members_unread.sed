# What the leader says of the others is not heeded.
# component
/^liveness_needs(/,/^}/s/p->live.is_missed;/false;/
