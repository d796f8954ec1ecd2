# SPDX-License-Identifier: ISC
# How mutants are made (README.md says what they are).

MUTANTS    := $(patsubst tests/model/mutants/%.sed,%,$(wildcard tests/model/mutants/*.sed))
MUTANT_DIR := $(BUILD)/tests/model/mutants
MUTANT_OBJ := $(MUTANTS:%=$(MUTANT_DIR)/%.o) $(MUTANT_DIR)/list.o
BUGS       := $(sort $(shell find tests/model/mutants/*/ -name '*.sed'))
ELECTSIMS  := $(BUGS:tests/%.sed=$(BUILD)/tests/%)
TESTED     := $(patsubst tests/%.sed,$(BUILD)/tests/%, \
    $(shell grep -l '^\# test: ' $(BUGS)))
SCRIPTED   := $(patsubst tests/%.sed,$(BUILD)/tests/%, \
    $(shell grep -l '^\# script: ' $(BUGS)))
SAMPLE     := $(patsubst tests/%.sed,$(BUILD)/tests/%, \
    $(shell grep -lx '\# sample' $(BUGS)))

mutant_source = $(if $(findstring /,$1),,algorithms/)$(basename $1).c
mutant_symbol = mutant_$(subst .,_,$*)
mutant_define = $(if $(findstring /,$*),, \
    -Dalgorithm_$(basename $*)=$(mutant_symbol))

$(foreach m,$(MUTANTS) $(ELECTSIMS:$(MUTANT_DIR)/%=%), \
    $(eval $(MUTANT_DIR)/$m.c: $(call mutant_source,$m)))

$(MUTANT_DIR)/%.c: tests/model/mutants/%.sed
	@mkdir -p $(@D)
	$(Q)sed -f $< $(call mutant_source,$*) >$@
	$(Q)diff $(call mutant_source,$*) $@ | awk '/^>/ { lines++ } \
	    END { if (lines == 1) exit 0; \
	    print "$<: does not fit $(call mutant_source,$*) any more" \
	    >"/dev/stderr"; exit 1 }'

# A bug may leave something unused. Each is compiled once and runs for a moment.
$(MUTANT_DIR)/%.o: $(MUTANT_DIR)/%.c $(BUILD)/flags
	$(call say,cc)
	$(Q)$(CC) $(ALL_CFLAGS) -w -O1 -g0 $(mutant_define) -MMD -MP -c -o $@ $<

# The mutated object stands before the archive that has the sound one.
$(filter-out $(TESTED) $(SCRIPTED),$(ELECTSIMS)): %: %.o $(BUILD)/electsim
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(BUILD)/tests/model/sim/main.o $< \
	    $(SIM) $(WORLD) $(LIB) $(call libs,jansson libsodium) -lm

VIP_SCRIPTED := $(filter $(MUTANT_DIR)/daemon/electvip/%,$(SCRIPTED))

$(filter-out $(VIP_SCRIPTED),$(SCRIPTED)): %: %.o $(BUILD)/electctl
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(BUILD)/daemon/electctl/main.o $< \
	    $(LIB) $(call libs,jansson libsodium) -lm

# The bug is in the program's own file.
$(VIP_SCRIPTED): %: %.o $(BUILD)/electvip
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(call libs,$(VIP_PKGS))

mutant_test = $(BUILD)/tests/$(shell sed -n 's/^\# test: //p' \
    $(1:$(BUILD)/%=%).sed).o

$(foreach m,$(TESTED),$(eval $m: $(call mutant_test,$m)))
$(TESTED): $(BUILD)/tests/unit/group.o $(HELP) $(SIM) $(WORLD) $(LIB)

$(TESTED): %: %.o
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(call mutant_test,$@) $< \
	    $(BUILD)/tests/unit/group.o $(HELP) $(SIM) $(WORLD) $(LIB) \
	    $(call libs,cmocka $(DAEMON_PKGS) $(VIP_PKGS)) -lm

# All of them, by name, for the test.
$(MUTANT_DIR)/list.c: tests/model/mutants tests/model/mutants/rules.mk
	@mkdir -p $(@D)
	@{ echo '#include "tests/model/mutants/mutants.h"'; \
	for m in $(MUTANTS); do \
	    echo "extern const struct algorithm mutant_$$m;" | tr . _; done; \
	echo 'const struct mutant mutants[] = {'; \
	for m in $(MUTANTS); do \
	    echo "{ \"$$m\", &mutant_$$(echo $$m | tr . _) },"; done; \
	echo '{ NULL, NULL } };'; } >$@

$(MUTANT_DIR)/list.o: $(MUTANT_DIR)/list.c $(BUILD)/flags
	$(call say,cc)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/unit/explore/test: $(MUTANT_OBJ)

# Sanitizers are off, as they would find none of the planted bugs, and clang.
$(if $(SAN)$(COV)$(filter clang,$(CC)),,$(eval tests: mutants-fit))

.PHONY: mutants mutants-fit mutants-built
mutants-fit: $(SAMPLE) $(ELECTSIMS:%=%.c)
mutants-built: all tools $(ELECTSIMS)
mutants: mutants-built ## is every planted bug found, by what, how soon?
	@BUILD='$(BUILD)' LONG=1 bash tests/model/mutants/test_mutants.sh

-include $(wildcard $(MUTANT_DIR)/*/*/*.d $(MUTANT_DIR)/*/*/*/*.d)

# Every order of messages, beyond what the tests walk: all choices, both
# preferences and each numbering of links at four nodes, then five nodes.
# Extinction and floodmax are not walked at five: more than five minutes each.
EXPLORE := $(BUILD)/electsim explore --algorithm
FIVE    := chang-roberts lelann ring-list hirschberg-sinclair tree tree-echo \
    traversal bully bully-broadcast

.PHONY: explore
explore: $(BUILD)/electsim ## every order of messages, to five nodes: two minutes
	@echo 'Every order of messages: this takes about two minutes.'
	@$(EXPLORE) all --nodes 4 --each-choice
	@$(EXPLORE) all --nodes 4 --prefer lowest
	@$(EXPLORE) traversal --nodes 4 --link-orders
	@for a in $(FIVE); do \
	    $(EXPLORE) $$a --nodes 5 --from 5 --memory 2048 || exit 1; done
