# SPDX-License-Identifier: ISC
# Chaos: real daemons on the test LAN under real faults, and the checker of their
# events. Its programs are built with the other tools of the tests.

CHAOS_MAIN := $(patsubst %,$(BUILD)/tests/bench/chaos/%,hand plan check)
CHAOS_OBJ  := $(patsubst %,$(BUILD)/tests/bench/chaos/%.o,history reigns sample \
    verdict figures)

TOOLS += $(CHAOS_MAIN)

$(BUILD)/tests/bench/chaos/hand $(BUILD)/tests/bench/chaos/plan: %: %.o $(LIB)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^

$(BUILD)/tests/bench/chaos/check: $(BUILD)/tests/bench/chaos/check.o $(CHAOS_OBJ)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,jansson)

$(BUILD)/tests/unit/chaos/test: $(CHAOS_OBJ) $(BUILD)/tests/bench/chaos/record.o

MINUTES   ?= 5
ALGORITHM ?= bully
GUARANTEE ?= quorum
SEED      ?= 1
TRIALS    ?= 20

.PHONY: chaos cutoff
chaos: all tools ## five real daemons under faults: MINUTES=5 ALGORITHM=bully
	@BUILD='$(BUILD)' MINUTES='$(MINUTES)' ALGORITHM='$(ALGORITHM)' \
	    GUARANTEE='$(GUARANTEE)' SEED='$(SEED)' bash tests/bench/chaos/chaos.sh

cutoff: all tools ## a leader is cut off: how long before the next one leads?
	@BUILD='$(BUILD)' TRIALS='$(TRIALS)' ALGORITHM='$(ALGORITHM)' \
	    bash tests/bench/chaos/cutoff.sh
