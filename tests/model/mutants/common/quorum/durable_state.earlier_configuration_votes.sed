# A voter that starts by an earlier configuration than it voted by votes.
# test: unit/state/test_store_start
/^durable_found(/,/^}/s/: STATE_HEALTH_CHANGED/: STATE_HEALTH_SOUND/
