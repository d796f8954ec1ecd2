# A leader that came during the last write is lost when the process ends.
# test: unit/electd/test_reign_keeper
s/if (k != NULL \&\& k->is_stale)/if (false)/
