# SPDX-License-Identifier: ISC
# The bench: how soon all know the next leader, and what an idle cluster costs.
# Its programs are built with the other tools of the tests.

BENCH_MAIN := $(patsubst %,$(BUILD)/tests/bench/%,referee tell report plot \
    witness knock)

TOOLS += $(BENCH_MAIN)

$(BUILD)/tests/bench/%.o: PKGS := jansson libsodium

$(BENCH_MAIN): %: %.o
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,jansson) -lm

$(BUILD)/tests/bench/referee: $(patsubst %,$(BUILD)/tests/bench/%.o,harm \
    views) $(patsubst %,$(BUILD)/tests/system/lan/%.o,control netlink)
$(BUILD)/tests/bench/report $(BUILD)/tests/bench/plot: \
    $(BUILD)/tests/bench/trials.o $(BUILD)/tests/bench/chaos/sample.o

# bench.sh chooses the values that are not set: other targets have other defaults.
given = $(if $(filter command environment,$(origin $(1))),$(1)='$($(1))')

# give NAME...: the variables that are set, for a shell command.
give = $(foreach v,$(1),$(call given,$v))

.PHONY: bench suspicion fastest bench-checks bench-vip
bench: all tools ## failover and idle cost, beside keepalived and etcd: TRIALS=50
	@BUILD='$(BUILD)' $(call give,ALGORITHM TOPOLOGY GUARANTEE HEARTBEAT \
	    MISSES MULTICAST TRIALS FAULTS SYSTEMS IDLE AWAIT SEED RESULT) \
	    bash tests/bench/bench.sh

bench-checks: all tools ## how soon another node leads when a check has failed: TRIALS=50 KINDS=disk
	@BUILD='$(BUILD)' $(call give,TRIALS KINDS) bash tests/bench/checks.sh

bench-vip: all tools ## a floating address, beside keepalived: TRIALS=5 FAULTS SYSTEMS LEASE
	@BUILD='$(BUILD)' $(call give,TRIALS FAULTS SYSTEMS LEASE HEARTBEAT SEED \
	    RESULT) bash tests/bench/vip.sh

suspicion: all tools ## is anybody alive given up? MINUTES=10 HEARTBEAT=10ms LOAD=yes LOSS=0
	@BUILD='$(BUILD)' $(call give,ALGORITHM TOPOLOGY GUARANTEE HEARTBEAT \
	    MISSES MINUTES LOAD LOSS SEED) bash tests/bench/suspicion.sh

fastest: all tools ## the fastest heartbeat without a false suspicion, and its figures
	@BUILD='$(BUILD)' $(call give,ALGORITHM GUARANTEE HEARTBEATS MISSES \
	    MINUTES LOAD LOSS TRIALS IDLE AWAIT SEED) bash tests/bench/fastest.sh
