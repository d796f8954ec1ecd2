# What the leader says of the others is not heeded.
# component
/^watch_needs(/,/^}/s/p->live.is_missed;/false;/
