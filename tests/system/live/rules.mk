# SPDX-License-Identifier: ISC
# Storm: kills five real daemons under quorum at random moments, and checks the
# leaders and terms that they reported. `make test` does 60 trials.

STORM_TRIALS = $(if $(filter command,$(origin TRIALS)),$(TRIALS),1000)

.PHONY: storm
storm: all tools ## kill -9 at random moments of elections: TRIALS=1000 ALGORITHM=bully
	@BUILD='$(BUILD)' TRIALS='$(STORM_TRIALS)' ALGORITHM='$(ALGORITHM)' \
	    bash tests/system/live/test_live_storm.sh
