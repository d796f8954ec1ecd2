# SPDX-License-Identifier: ISC
# Rollout: changes of a running cluster on hosts with systemd, and for how long
# there is no leader meanwhile. The tree is so deep down that none of its names
# in .d is taken for dependences.

TOOLS += $(BUILD)/tests/system/rollout/client

$(BUILD)/tests/system/rollout/client: %: %.o $(LIB)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^

# PARTS, CYCLES, ROUNDS, RESIGNS, SEED and ASK reach the script by themselves.
.PHONY: rollout
rollout: all tools ## changes of a cluster on hosts with systemd, measured; as root: PARTS="grow settings" CYCLES=2
	@bash tests/system/rollout/tree.sh '$(BUILD)/rollout/debian/tree'
	@BUILD='$(BUILD)' MAKE='$(MAKE)' bash tests/system/rollout/rollout.sh
