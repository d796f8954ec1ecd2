# A node takes its own highest version for that of the session.
# sample
/^versions_common(/,/^}/s/uint8_t version = a->highest < b->highest ? a->highest : b->highest;/uint8_t version = a->highest;/
