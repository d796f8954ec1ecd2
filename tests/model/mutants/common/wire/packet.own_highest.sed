# A node takes its own highest version for that of the session.
# seed: 2
# sample
/^versions_common(/,/^}/s/uint8_t version = a->highest < b->highest ? a->highest : b->highest;/uint8_t version = a->highest;/
