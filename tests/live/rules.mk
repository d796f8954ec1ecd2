# SPDX-License-Identifier: ISC
# Storm: five real daemons under quorum are killed at random moments, and what
# they said of leaders and terms is checked. `make test` does 60 trials.

STORM_TRIALS = $(if $(filter command,$(origin TRIALS)),$(TRIALS),1000)

.PHONY: storm
storm: all tools ## kill -9 at random moments of elections: TRIALS=1000 ALGORITHM=bully
	@BUILD='$(BUILD)' TRIALS='$(STORM_TRIALS)' ALGORITHM='$(ALGORITHM)' \
	    bash tests/live/test_live_storm.sh
