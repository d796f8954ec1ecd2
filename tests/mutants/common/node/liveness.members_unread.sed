# What the leader says of the others is not heeded.
# component
/^watch_needs(/,/^}/s/p->is_missed;/false;/
