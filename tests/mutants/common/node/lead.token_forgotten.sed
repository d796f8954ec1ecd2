# A beacon that comes without a token makes a node forget it.
# test: unit/node/test_lead
/^lead_set_beacon(/,/^}/s/token == 0 \&\& is_same_reign/false \&\& is_same_reign/
