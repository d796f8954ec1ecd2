# SPDX-License-Identifier: ISC
# Scale: how the figures of real daemons on this host grow with their number,
# and what the same datagrams cost without electd.

SCALE_MAIN := $(patsubst %,$(BUILD)/tests/bench/scale/%,crowd toy)

TOOLS += $(SCALE_MAIN)

$(BUILD)/tests/bench/scale/%.o: PKGS := jansson

$(BUILD)/tests/bench/scale/crowd: $(patsubst %,$(BUILD)/tests/bench/scale/%.o,crowd \
    members usage)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,jansson)

$(BUILD)/tests/bench/scale/toy: $(patsubst %,$(BUILD)/tests/bench/scale/%.o,toy usage)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^

# N, WHICH, ALGORITHM, HEARTBEAT, IDLE and LIMIT reach the script by themselves.
.PHONY: scale
scale: all tools ## many daemons on this host: N="5 50 200" HEARTBEAT=1s IDLE=10
	@BUILD='$(BUILD)' bash tests/bench/scale/scale.sh
