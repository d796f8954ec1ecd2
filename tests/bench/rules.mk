# SPDX-License-Identifier: ISC
# The bench: how fast the next leader is known, and what it costs to wait for
# that. Its programs are built with the other tools of the tests.

BENCH_MAIN := $(patsubst %,$(BUILD)/tests/bench/%,referee tell report plot)

TOOLS += $(BENCH_MAIN)

$(BUILD)/tests/bench/%.o: PKGS := jansson libsodium

$(BENCH_MAIN): %: %.o
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,jansson) -lm

$(BUILD)/tests/bench/referee: $(patsubst %,$(BUILD)/tests/bench/%.o,harm \
    views) $(patsubst %,$(BUILD)/tests/lan/%.o,control netlink)
$(BUILD)/tests/bench/report $(BUILD)/tests/bench/plot: \
    $(BUILD)/tests/bench/trials.o $(BUILD)/tests/chaos/sample.o

# What is not said is bench.sh's to choose: other targets have other defaults.
given = $(if $(filter command environment,$(origin $(1))),$(1)='$($(1))')

.PHONY: bench
bench: all tools ## failover and idle cost, beside keepalived and etcd: TRIALS=50
	@BUILD='$(BUILD)' $(foreach v,ALGORITHM GUARANTEE HEARTBEAT MISSES \
	    TRIALS FAULTS SYSTEMS IDLE SEED,$(call given,$v)) \
	    bash tests/bench/bench.sh
