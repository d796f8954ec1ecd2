# SPDX-License-Identifier: ISC
# electd: one Makefile, no recursion but for variants; `make help` lists all.
# Variants (sanitizers, clang, coverage) live in build directories of their
# own. Nothing is asked of the system while this is read: what is missing is
# installed by `make setup` first.

BUILD      ?= build
PREFIX     ?= /usr
UNITDIR    ?= $(PREFIX)/lib/systemd/system
DESTDIR    ?=
CLIENTDIR  ?= $(PREFIX)/lib
PKG_CONFIG ?= pkg-config
CFLAGS     ?= $(if $(SAN),-O1 -g1,-O2 -g)
VERSION    := 0.2.0
ifeq ($(origin CC),default)
CC := gcc
endif

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
    -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla -Wcast-qual \
    -Wwrite-strings -Wpointer-arith -Wformat=2 -Wswitch-enum \
    -Wimplicit-fallthrough
HARDENING := -fstack-protector-strong -fPIE \
    $(if $(SAN)$(COV),,-fstack-clash-protection \
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
# So programs do not depend on the directory that they are compiled in.
HERE := -ffile-prefix-map=$(CURDIR)=.
ALL_CFLAGS = -std=c11 $(WARNINGS) $(if $(WERROR),-Werror) -I. -D_GNU_SOURCE \
    -DELECTD_VERSION='"$(VERSION)"' $(HARDENING) \
    $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all \
    -fno-omit-frame-pointer) $(if $(COV),--coverage) $(HERE) $(CPPFLAGS) \
    $(CFLAGS)
ALL_LDFLAGS = -pie -pthread -Wl,-z,relro,-z,now,-z,noexecstack \
    $(if $(SAN),-fsanitize=$(SAN)) $(if $(COV),--coverage) $(LDFLAGS)

# How everything is compiled. These two make no other program.
COMPILED := $(filter-out -Werror $(HERE),$(ALL_CFLAGS))

CORE_SRC   := $(wildcard common/*/*.c common/*/*/*.c algorithms/*.c)
MAIN_SRC   := daemon/electd/main.c daemon/electctl/main.c \
    daemon/lastwill/lastwill.c daemon/electvip/electvip.c \
    daemon/electweb/electweb.c
DAEMON_SRC := $(filter-out $(MAIN_SRC), \
    $(wildcard daemon/*/*.c daemon/*/*/*.c))
# The thread sanitizer calls malloc() before it is ready; these have their own.
TEST_SRC   := $(filter-out $(if $(filter thread,$(SAN)), \
    tests/unit/electd/test_electd.c tests/unit/changes/test_changes.c), \
    $(wildcard tests/unit/*/test_*.c))
WORLD_SRC  := $(filter-out tests/model/world/assert/%, \
    $(wildcard tests/model/world/*.c tests/model/world/*/*.c))
FUZZ_SRC   := $(wildcard tests/model/fuzz/fuzz_*.c)
HELP_SRC   := $(wildcard tests/model/world/assert/*.c tests/lib/*.c) \
    $(filter-out $(FUZZ_SRC),$(wildcard tests/model/fuzz/*.c))
LAN_SRC    := $(wildcard tests/system/lan/*.c)
TOOL_SRC   := $(wildcard tests/tools/*.c)
LOAD_SRC   := $(wildcard tests/tools/preload/*.c)
SIM_MAIN   := $(wildcard tests/model/sim/main.c)
SIM_SRC    := $(filter-out $(SIM_MAIN), \
    $(wildcard tests/model/sim/*.c tests/model/sim/*/*.c))
DEPTHS     := $(foreach d,algorithms common daemon tests,$d/ $d/*/ $d/*/*/ \
    $d/*/*/*/)
ALL_C      := $(wildcard $(DEPTHS:%=%*.c))
ALL_H      := $(wildcard $(DEPTHS:%=%*.h))

CORE_OBJ   := $(CORE_SRC:%.c=$(BUILD)/%.o)
DAEMON_OBJ := $(DAEMON_SRC:%.c=$(BUILD)/%.o)
MAIN_OBJ   := $(MAIN_SRC:%.c=$(BUILD)/%.o)
HELP_OBJ   := $(HELP_SRC:%.c=$(BUILD)/%.o)
WORLD_OBJ  := $(WORLD_SRC:%.c=$(BUILD)/%.o)
LAN_OBJ    := $(LAN_SRC:%.c=$(BUILD)/%.o)
SIM_OBJ    := $(SIM_SRC:%.c=$(BUILD)/%.o)

# The library for other programs; ours link its objects in $(LIB).
CLIENT_SRC := $(wildcard daemon/libelectd/*.c) daemon/system/clock.c
CLIENT_OBJ := $(CLIENT_SRC:%.c=$(BUILD)/pic/%.o)
CLIENT_SO  := libelectd.so.0
CLIENT     := $(BUILD)/$(CLIENT_SO) $(BUILD)/libelectd.a

# Archives, so that each program takes what it needs and no more.
LIB  := $(BUILD)/electd.a
HELP := $(BUILD)/tests/help.a
WORLD := $(BUILD)/tests/model/world.a
SIM  := $(BUILD)/tests/model/sim.a

# The unit tests of a folder are one program, FOLDER/test. FOLDER/test_FILE is
# the group of one file, which tests/run.sh runs by itself.
TEST_DIRS := $(patsubst %/,$(BUILD)/%,$(sort $(dir $(TEST_SRC))))
PROGRAMS := $(BUILD)/electd $(BUILD)/lastwill $(BUILD)/electctl \
    $(BUILD)/electvip $(BUILD)/electweb $(if $(SIM_MAIN),$(BUILD)/electsim)
TESTS    := $(TEST_SRC:%.c=$(BUILD)/%)
TOOLS    := $(TOOL_SRC:%.c=$(BUILD)/%) $(LOAD_SRC:%.c=$(BUILD)/%.so) \
    $(if $(LAN_SRC),$(BUILD)/tests/system/lan/lan)
PAGES    := $(wildcard daemon/man/*.[13578] tests/model/sim/*.1)
TYPED    := daemon/libelectd/python/electd.py tests/system/live/hold.py \
    tests/system/live/protocol/replay.py tests/unit/python/test_electd.py
CHECKS   := make:purity make:layers make:times make:sizes make:headers \
    make:format-check make:manuals make:references make:shellcheck make:types

# What takes long: `make quick` leaves all of it out. `make test` runs these
# programs, which play hours of whole clusters, without sanitizers only. A
# program or a script is short unless it says how long it takes.
SLOW_TESTS := $(patsubst %.c,$(BUILD)/%,$(shell grep -l \
    '^ \* Takes [0-9]* s\.$$' $(TEST_SRC)))
TEST_SCRIPTS := $(wildcard tests/*/test_*.sh tests/*/*/test_*.sh)
SLOW_SCRIPTS := $(shell grep -l '^\# Takes [0-9]* s\.$$' $(TEST_SCRIPTS))
# What only `make test-long` runs, as it installs what these need.
LONG_SCRIPTS := tests/system/systemd/test_leader_target.sh \
    tests/system/recipes/test_packages.sh
SHORT_TESTS := $(filter-out $(SLOW_TESTS),$(TESTS))
# These test what sanitized programs do without: filters of system calls.
PLAIN_TESTS := $(patsubst %,$(BUILD)/tests/unit/%,electd/test_confine \
    sim/test_replay_confine)
# These folders have threads.
THREADED := $(patsubst %,$(BUILD)/tsan/tests/unit/%/test,electd net state system)
# Scripts that need no speed: `make test-long` runs them with sanitized programs.
ASAN_SCRIPTS := $(patsubst %,asan:tests/system/%.sh,lan/test_lan_vip \
    $(addprefix live/test_live_,address control discovery elect follow \
    history input keys members_verb names record refused reload roll \
    snapshot standby systemd token voters will))
QUICK_SCRIPTS := tests/system/live/test_live_control.sh $(filter-out \
    tests/system/live/test_live_control.sh $(SLOW_SCRIPTS) $(LONG_SCRIPTS), \
    $(TEST_SCRIPTS))
$(if $(filter-out $(TEST_SCRIPTS),$(shell find tests -name 'test_*.sh')), \
    $(error tests/ has a script that no target runs))
# No bugs are planted in sanitized programs.
SCRIPTS := $(filter-out $(if $(SAN),tests/model/mutants/test_mutants.sh), \
    $(SLOW_SCRIPTS) $(QUICK_SCRIPTS))

CORE_PKGS   := libsodium
DAEMON_PKGS := libevent_core libconfig libsodium jansson
VIP_PKGS    := jansson libmnl
WEB_PKGS    := jansson libmicrohttpd
cflags = $(if $(1),$$($(PKG_CONFIG) --cflags $(1)))
libs   = $$($(PKG_CONFIG) --libs $(1))

# Recipes are told in one word and a name; V=1 shows the commands.
Q      := $(if $(V),,@)
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
say     = $(if $(V)$(silent),,@printf '%-5s %s\n' $(1) $@)
jobs    = $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc))
run     = BUILD='$(BUILD)' MAKE='$(MAKE)' bash tests/run.sh
sanitized     = $(1:$(BUILD)/%=$(BUILD)/asan/%)
make_asan     = $(MAKE) BUILD=$(BUILD)/asan SAN=address,undefined WERROR=1
make_tsan     = $(MAKE) BUILD=$(BUILD)/tsan SAN=thread WERROR=1
make_clang    = $(MAKE) BUILD=$(BUILD)/clang CC=clang

MAKEFLAGS += --no-print-directory
.SUFFIXES:
.SECONDARY:
.DELETE_ON_ERROR:
.PHONY: $(TESTS) all look help tests tools fuzz fuzzers setup setup-build demo quick test test-long check unit \
    asan tsan clang valgrind coverage scripts sweep swarm-asan identical same purity layers times sizes figures headers manuals references shellcheck types format format-check install \
    uninstall dist deb rpm clean

all: $(PROGRAMS) $(CLIENT) ## the programs and the library, in build/

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-13s %s\n", $$1, $$2 }' \
	    Makefile tests/*/rules.mk tests/*/*/rules.mk
	@echo 'Variables: BUILD PREFIX UNITDIR DESTDIR CC CPPFLAGS CFLAGS LDFLAGS WERROR=1 V=1'

$(LIB): $(DAEMON_OBJ) $(CORE_OBJ) $(BUILD)/identity.o
$(HELP): $(HELP_OBJ)
$(WORLD): $(WORLD_OBJ)
$(SIM): $(SIM_OBJ)
# The name of this build of the core (daemon/tape/identity.h).
# Where sources lie, and what a debugger is told, are no part of it.
IDENTITY   := $(filter-out -g% -ffile-prefix-map=% -fdebug-prefix-map=% \
    -fmacro-prefix-map=%,$(COMPILED))
IDENTIFIED := $(sort $(CORE_SRC) $(wildcard common/*/*.h common/*/*/*.h algorithms/*.h))
$(BUILD)/identity.c: daemon/tape/identity.sh $(IDENTIFIED) $(BUILD)/flags
	$(Q)sh $< '$(CC)' '$(subst ','\'',$(IDENTITY))' $(IDENTIFIED) >$@

# Changes when the compiler, its version or a flag does, and then all objects do.
$(BUILD)/flags: look
	@mkdir -p $(@D)
	@{ $(CC) --version; echo '$(subst ','\'',$(CC) $(COMPILED) $(ALL_LDFLAGS))'; } \
	    >$@.$$$$ && { cmp -s $@.$$$$ $@ && rm $@.$$$$ || mv $@.$$$$ $@; }

$(BUILD)/identity.o: $(BUILD)/identity.c
	$(call say,cc)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/%.a:
	$(call say,ar)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/electd: $(BUILD)/daemon/electd/main.o $(LIB)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,$(DAEMON_PKGS))

# No library but C's. What instruments it needs more system calls than it does.
$(BUILD)/lastwill: $(BUILD)/daemon/lastwill/lastwill.o $(LIB)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^

$(BUILD)/tests/model/sim/replay/confine.o: ALL_CFLAGS += $(if $(SAN)$(COV),-DREPLAY_UNCONFINED)

$(BUILD)/daemon/lastwill/lastwill.o: ALL_CFLAGS += $(if $(SAN)$(COV),-DLASTWILL_UNCONFINED)

$(BUILD)/daemon/electd/start/confine.o: ALL_CFLAGS += $(if $(SAN)$(COV),-DELECTD_UNCONFINED)

$(BUILD)/electctl: $(BUILD)/daemon/electctl/main.o $(LIB)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,jansson libsodium) -lm

$(BUILD)/daemon/electvip/confine.o: ALL_CFLAGS += $(if $(SAN)$(COV),-DELECTVIP_UNCONFINED)

$(BUILD)/electvip: $(BUILD)/daemon/electvip/electvip.o $(LIB)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,$(VIP_PKGS))

$(BUILD)/electweb: $(BUILD)/daemon/electweb/electweb.o $(LIB)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,$(WEB_PKGS))

$(BUILD)/electsim: $(BUILD)/tests/model/sim/main.o $(SIM) $(WORLD) $(LIB)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,jansson libsodium) -lm

$(BUILD)/common/%.o: PKGS := $(CORE_PKGS)
$(BUILD)/daemon/%.o: PKGS := $(DAEMON_PKGS)
$(BUILD)/daemon/electvip/%.o: PKGS := $(VIP_PKGS)
$(BUILD)/daemon/electweb/%.o: PKGS := $(WEB_PKGS)
$(BUILD)/tests/%.o: PKGS := cmocka jansson libsodium
$(BUILD)/tests/model/sim/%.o $(BUILD)/tests/model/world/%.o: PKGS := jansson libsodium
$(BUILD)/tests/bench/chaos/%.o: PKGS := jansson libsodium
$(BUILD)/tests/tools/%.o $(BUILD)/tests/system/lan/%.o: PKGS := libsodium
$(BUILD)/tests/lib/member.o $(BUILD)/tests/lib/lingering.o \
    $(BUILD)/tests/system/rollout/client.o: PKGS := libsodium
$(BUILD)/%.o: %.c $(BUILD)/flags
	$(call say,cc)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(call cflags,$(PKGS)) -MMD -MP -c -o $@ $<

$(TEST_DIRS:%=%/test): $(BUILD)/tests/unit/group.o $(HELP) $(SIM) $(WORLD) $(LIB)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
	    $(call libs,cmocka $(DAEMON_PKGS) $(VIP_PKGS) $(WEB_PKGS)) -lm

define test_dir
$1/test: $$(patsubst %,%.o,$$(filter $1/%,$$(TESTS)))
$$(filter $1/%,$$(TESTS)): $1/test
endef
$(foreach d,$(TEST_DIRS),$(eval $(call test_dir,$d)))

include tests/model/mutants/rules.mk
include tests/bench/chaos/rules.mk
include tests/system/live/rules.mk
include tests/bench/rules.mk
include tests/bench/scale/rules.mk
include tests/system/rollout/rules.mk
include tests/system/recipes/rules.mk

$(BUILD)/tests/system/lan/lan: $(LAN_OBJ) $(LIB)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,$(CORE_PKGS))

# `make demo` builds these, without cmocka.
$(BUILD)/tests/tools/parrot: $(BUILD)/tests/lib/member.o
$(BUILD)/tests/tools/passer: $(BUILD)/tests/lib/lingering.o
$(BUILD)/tests/tools/%: $(BUILD)/tests/tools/%.o $(LIB)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) \
	    $(call libs,$(CORE_PKGS) libmnl)

# Libraries to load into a program before the C library, and before the library
# of a sanitizer, which these have to do without.
$(BUILD)/tests/tools/preload/%.so: override SAN :=
$(BUILD)/tests/tools/preload/%.so: tests/tools/preload/%.c $(BUILD)/flags
	$(call say,link)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -shared -o $@ $<

# Only what electd.h declares is visible, in both kinds of library.
$(BUILD)/pic/%.o: %.c $(BUILD)/flags
	$(call say,cc)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(call cflags,jansson) -fPIC -fvisibility=hidden \
	    -MMD -MP -c -o $@ $<

$(BUILD)/libelectd.o: $(CLIENT_OBJ)
	$(call say,link)
	$(Q)$(CC) -r -nostdlib -o $@ $^ && objcopy --localize-hidden $@

$(BUILD)/libelectd.a: $(BUILD)/libelectd.o

$(BUILD)/$(CLIENT_SO): $(CLIENT_OBJ) daemon/libelectd/electd.map
	$(call say,link)
	$(Q)$(CC) $(filter-out -pie,$(ALL_LDFLAGS)) -shared -Wl,-soname,$(@F) \
	    -Wl,--version-script=daemon/libelectd/electd.map $(if $(SAN),,-Wl,-z,defs) \
	    -o $@ $(CLIENT_OBJ) $(call libs,jansson)

# The seeds of each fuzzer; what it finds beside them stays in build/.
SECONDS        ?= 60
FUZZERS        := $(FUZZ_SRC:tests/model/fuzz/fuzz_%.c=%)
SEEDS_settings := conf tests/unit/settings tests/model/fuzz/corpus/settings
fuzz_build     := CC=clang BUILD=$(BUILD)/fuzz \
    SAN=address,undefined,fuzzer-no-link

$(BUILD)/tests/model/fuzz/fuzz_%: $(BUILD)/tests/model/fuzz/fuzz_%.o $(HELP) $(SIM) $(WORLD) $(LIB)
	$(call say,link)
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ \
	    $(call libs,$(DAEMON_PKGS) $(VIP_PKGS) $(WEB_PKGS))

fuzzers: $(FUZZERS:%=$(BUILD)/tests/model/fuzz/fuzz_%)

fuzz-%:
	@mkdir -p $(BUILD)/corpus/$*
	@$(BUILD)/tests/model/fuzz/fuzz_$* -max_total_time=$(SECONDS) -len_control=0 \
	    -max_len=2048 -artifact_prefix=$(BUILD)/$*- $(BUILD)/corpus/$* \
	    $(or $(SEEDS_$*),tests/model/fuzz/corpus/$*)

fuzz: ## each fuzzer for SECONDS=60, with clang's libFuzzer
	@$(MAKE) $(jobs) $(fuzz_build) fuzzers
	@for f in $(FUZZERS); do $(MAKE) $(fuzz_build) fuzz-$$f || exit 1; done

tests: $(TESTS) $(TOOLS) ## the test programs, not run
tools: $(TOOLS)

setup: ## install the packages that building and testing need
	@sh tests/setup.sh test

setup-build: ## install the packages that building needs
	@sh tests/setup.sh build

demo: ## five nodes on loopback elect, lose their leader, elect again
	@sh tests/setup.sh build
	@echo 'Building electd.'
	@$(MAKE) -s $(jobs) all tools
	@BUILD='$(BUILD)' bash tests/system/live/demo.sh

quick: ## in a minute: set-up, build, checks, short unit tests and scripts
	@sh tests/setup.sh test
	@$(MAKE) $(jobs) WERROR=1 all tools $(SHORT_TESTS)
	@$(run) $(CHECKS) $(SHORT_TESTS) $(QUICK_SCRIPTS)

# A short test that passes with sanitizers passes without.
test: ## before each commit: all tests, the short unit tests sanitized
	@sh tests/setup.sh test
	@$(MAKE) $(jobs) WERROR=1 all tools mutants-fit $(SLOW_TESTS) $(PLAIN_TESTS)
	@$(make_asan) $(jobs) $(call sanitized,$(BUILD)/electsim $(SHORT_TESTS))
	@$(run) $(SLOW_SCRIPTS) $(SLOW_TESTS) make:swarm-asan $(CHECKS) \
	    $(call sanitized,$(SHORT_TESTS)) $(PLAIN_TESTS) $(QUICK_SCRIPTS)

# With clang all is built alone, as its warnings are errors.
test-long: ## what takes longer: every mutant, 300 seeds of the day, slow unit tests and scripts sanitized, threads, clang, recipes, packages
	@sh tests/setup.sh long
	@$(MAKE) $(jobs) WERROR=1 recipe-tree all tests mutants-built
	@$(make_asan) $(jobs) all tools $(call sanitized,$(SLOW_TESTS))
	@$(make_tsan) $(jobs) $(THREADED)
	@$(make_clang) $(jobs) WERROR=1 all tests
	@LONG=1 LIMIT=3000 $(run) tests/model/mutants/test_mutants.sh make:explore \
	    make:identical tests/system/recipes/recipes.sh \
	    $(call sanitized,$(SLOW_TESTS)) tests/model/sim/test_swarm.sh \
	    tests/system/live/test_live_algorithms.sh \
	    tests/system/live/test_live_snapshot.sh \
	    tests/system/live/test_live_run_faults.sh \
	    tests/system/live/test_live_python.sh $(LONG_SCRIPTS) $(ASAN_SCRIPTS) \
	    $(THREADED)

swarm-asan: # a few seeds of the sanitized swarm
	@for g in component quorum; do \
	    $(BUILD)/asan/electsim swarm --seeds 10 --guarantee $$g || exit; done

check: all tests ## the same without set-up and sanitizers
	@$(run) $(CHECKS) $(TESTS) $(SCRIPTS)

unit: $(TESTS) ## the unit tests alone
	@$(run) $(TESTS)

scripts: all tests ## the scripts alone: real daemons
	@$(run) $(SCRIPTS)

asan: ## unit tests and scripts with address and undefined-behaviour sanitizers
	@$(make_asan) $(jobs) all tests
	@$(make_asan) -k unit scripts

clang: ## build and unit tests with clang, warnings are errors
	@$(make_clang) $(jobs) WERROR=1 all tests
	@$(make_clang) unit

tsan: ## unit tests of what has threads with the thread sanitizer
	@$(make_tsan) $(jobs) $(THREADED)
	@$(run) $(THREADED)

SEEDS ?= 5000
sweep: all tests ## random worlds of whole nodes: SEEDS=5000, two minutes
	@$(BUILD)/electsim swarm --seeds $(SEEDS) --jobs "$$(nproc)"
	@echo 'Deaths at once among twenty nodes, 50 seeds: half a minute.'
	@SEEDS=50 $(BUILD)/tests/unit/cluster/test test_topologies_faults

identical: $(BUILD)/electsim ## electsim says the same if built by gcc -O0, or by clang
	@$(MAKE) $(jobs) CC=gcc BUILD=$(BUILD)/O0 CFLAGS=-O0 $(BUILD)/O0/electsim
	@$(make_clang) $(jobs) $(BUILD)/clang/electsim
	@bash tests/model/sim/identical.sh $(BUILD)/electsim $(BUILD)/O0/electsim \
	    $(BUILD)/clang/electsim

REF ?= HEAD
same: $(BUILD)/electsim ## electsim does the same as that of another commit: REF=HEAD
	@$(call give,SEEDS) BUILD='$(BUILD)' MAKE='$(MAKE)' bash tests/model/sim/same.sh '$(REF)'

valgrind: all tests ## unit tests and a whole start, election, stop in valgrind
	@$(run) tests/system/live/valgrind.sh
	@WRAP='valgrind -q --error-exitcode=9 --leak-check=full' LIMIT=600 \
	    $(run) $(TESTS)

# Without optimization, so that a branch is one of the source. What only the
# scripts reach shows as 0.
coverage: ## lines and branches that the unit tests reach; MISSING=1: which not
	@$(MAKE) $(jobs) CC=gcc BUILD=$(BUILD)/coverage COV=1 CFLAGS=-O0 tests
	@find $(BUILD)/coverage -name '*.gcda' -delete
	@LONG=1 $(MAKE) CC=gcc BUILD=$(BUILD)/coverage COV=1 CFLAGS=-O0 unit
	@gcov -b -c -t $(CORE_SRC:%.c=$(BUILD)/coverage/%.o) \
	    $(DAEMON_SRC:%.c=$(BUILD)/coverage/%.o) \
	    2>$(BUILD)/coverage/gcov.log | \
	    awk -v missing='$(MISSING)' -f tests/check/coverage.awk

# What the core may want from outside: all of it computes, none of it acts.
PURE := mem(cpy|move|set|cmp)|bcmp|str(cmp|ncmp|len|nlen|chr)|v?snprintf
PURE := $(PURE)|memchr|str(spn|cspn|rchr)|inet_(pton|ntop)
PURE := $(PURE)|__assert_fail|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_
PURE := $(PURE)|__[a-z]*_chk|__(asan|ubsan|gcov|sanitizer).*
PURE := $(PURE)|crypto_aead_xchacha20poly1305_ietf_(en|de)crypt_detached
PURE := $(PURE)|crypto_generichash(_blake2b.*|_init|_update|_final)?
PURE := $(PURE)|crypto_kdf_derive_from_key|sodium_memcmp|sodium_memzero

purity: $(CORE_OBJ) ## the core calls nothing that acts, waits or remembers
	@$(CC) -r -nostdlib -o $(BUILD)/core.o $(CORE_OBJ)
	@! nm -u $(BUILD)/core.o | awk '{ print $$2 }' | grep -vxE '$(PURE)'

layers: $(LIB) $(MAIN_OBJ) $(SIM) $(SIM_MAIN:%.c=$(BUILD)/%.o) $(WORLD) $(HELP) ## files include and call in one direction
	@python3 tests/check/layers.py $(BUILD)

# By the names that times have.
times: ## the core adds to a time with nsec_after() alone
	@! grep -nE '\<(now|until|[a-z_]+_(at|until)) \+=? ' $(CORE_SRC)

sizes: ## no function over 60 lines, no case over 40, no file over 800, no line over 80 columns
	@awk -f tests/check/sizes.awk $(ALL_C) $(ALL_H)

figures: ## how large the tree is, and how its parts hang together
	@python3 tests/check/figures.py

headers: ## each header compiles alone, and its file includes it first
	@for h in $(ALL_H); do \
	    printf '#include "%s"\nextern int headers;\n' $$h | \
	    $(CC) $(ALL_CFLAGS) $(call cflags,cmocka $(DAEMON_PKGS) $(VIP_PKGS) $(WEB_PKGS)) \
	    -fsyntax-only -x c - || exit 1; \
	    [ ! -f $${h%.h}.c ] || \
	    grep -m1 '^#include' $${h%.h}.c | grep -q "\"$$h\"" || \
	    { echo "$${h%.h}.c includes another header before its own"; \
	    exit 1; }; done

manuals: ## the manual pages are well-formed
	@if ! command -v mandoc >/dev/null; then \
	    echo 'skip: mandoc is not installed'; else \
	    mandoc -T lint -W warning $(PAGES) </dev/null; fi

references: ## what comments and documents refer to exists
	@awk -f tests/check/references.awk Makefile $$(find *.md algorithms common \
	    conf daemon systemd tests -type f \( -name '*.md' -o \
	    -name '*.[ch13578]' -o -name '*.sh' -o -name '*.awk' -o \
	    -name '*.mk' -o -name '*.sed' -o -name '*.service' -o \
	    -name '*.target' -o -name leader-target \))

# Each file by itself, as those that source it would be looked at again and again:
# so what another file defines, or uses, is not known.
shellcheck: ## the scripts have none of the faults that shellcheck warns of
	@if ! command -v shellcheck >/dev/null; then \
	    echo 'skip: shellcheck is not installed'; else \
	    { echo .ci/run systemd/leader-target systemd/completion/electctl \
	    conf/postgresql/pg-node systemd/debian/electd.p*; \
	    find tests -name '*.sh'; } | xargs -n 1 -P "$$(nproc)" \
	    shellcheck -S warning -e SC2034,SC2154; fi

# As the oldest Python that electd.py runs on reads them.
types: ## the Python client and its tests are typed
	@if ! command -v mypy >/dev/null; then \
	    echo 'skip: mypy is not installed'; else \
	    MYPYPATH=daemon/libelectd/python mypy --strict --python-version 3.9 \
	    --no-error-summary --cache-dir $(BUILD)/mypy $(TYPED); fi

FORMATTER ?= clang-format
format: ## lay out the sources
	@$(FORMATTER) -i $(ALL_C) $(ALL_H)

# Each release lays out a little differently: the tree keeps to one.
format-check: ## are they?
	@case "$$($(FORMATTER) --version 2>/dev/null)" in \
	*'version 14.'*) $(FORMATTER) --dry-run -Werror $(ALL_C) $(ALL_H) ;; \
	*) echo 'skip: clang-format 14 is not installed' ;; esac

BINDIR  := $(DESTDIR)$(PREFIX)/bin
SBINDIR := $(DESTDIR)$(PREFIX)/sbin
MANDIR  := $(DESTDIR)$(PREFIX)/share/man
DOCDIR  := $(DESTDIR)$(PREFIX)/share/doc/electd
LIBDIR  := $(DESTDIR)$(PREFIX)/lib
PYDIR   := $(LIBDIR)/python3/dist-packages
HELPDIR := $(DESTDIR)$(PREFIX)/libexec/electd
UNITSIN := $(DESTDIR)$(UNITDIR)
# How electctl is completed: in bash, Debian's zsh, and fish.
BASHDIR := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR  := $(DESTDIR)$(PREFIX)/share/zsh/vendor-completions
FISHDIR := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
# Each electd*@.service or .target makes one more unit, without the @, by
# systemd/one-cluster.sed.
ATUNITS := $(notdir $(wildcard systemd/*@.*))
UNITS   := $(subst @,,$(filter electd%,$(ATUNITS)))
CONFS   := $(wildcard conf/*.* systemd/*.conf)

install: all ## into DESTDIR and PREFIX; /etc is left to the administrator
	install -D -m 755 -t $(SBINDIR) $(BUILD)/electd $(BUILD)/electvip \
	    $(BUILD)/electweb
	install -D -m 711 -t $(HELPDIR) $(BUILD)/lastwill
	install -D -m 755 -t $(HELPDIR) systemd/leader-target
	install -D -m 755 -t $(BINDIR) $(BUILD)/electctl $(BUILD)/electsim
	install -D -m 644 -t $(PYDIR) daemon/libelectd/python/electd.py
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include daemon/libelectd/electd.h
	install -D -m 644 -t $(DESTDIR)$(CLIENTDIR) $(BUILD)/$(CLIENT_SO) \
	    $(BUILD)/libelectd.a
	ln -sf $(CLIENT_SO) $(DESTDIR)$(CLIENTDIR)/libelectd.so
	install -D -m 644 daemon/libelectd/libelectd.pc.in \
	    $(DESTDIR)$(CLIENTDIR)/pkgconfig/libelectd.pc
	sed -i -e 's#@PREFIX@#$(PREFIX)#' -e 's#@LIBDIR@#$(CLIENTDIR)#' \
	    -e 's#@VERSION@#$(VERSION)#' \
	    $(DESTDIR)$(CLIENTDIR)/pkgconfig/libelectd.pc
	for page in $(PAGES); do install -D -m 644 \
	    -t $(MANDIR)/man$${page##*.} $$page || exit 1; done
	install -D -m 644 -t $(UNITSIN) $(ATUNITS:%=systemd/%)
	for unit in $(UNITS); do install -m 644 \
	    systemd/$${unit%.*}@.$${unit#*.} $(UNITSIN)/$$unit || exit 1; done
	sed -i -f systemd/one-cluster.sed $(UNITS:%=$(UNITSIN)/%)
	sed -i 's#/usr/\(s*bin\|libexec\)/#$(PREFIX)/\1/#g' \
	    $(addprefix $(UNITSIN)/,$(UNITS) $(ATUNITS))
	install -D -m 644 -t $(BASHDIR) systemd/completion/electctl
	install -D -m 644 -t $(ZSHDIR) systemd/completion/_electctl
	install -D -m 644 -t $(FISHDIR) systemd/completion/electctl.fish
	install -D -m 644 systemd/electd.sysusers \
	    $(LIBDIR)/sysusers.d/electd.conf
	install -D -m 644 systemd/electd.tmpfiles \
	    $(LIBDIR)/tmpfiles.d/electd.conf
	install -D -m 644 -t $(DOCDIR) README.md LICENSE
	sed -i -e 's#\[conf/\([^]]*\)\](conf/#[examples/\1](examples/#g' \
	    -e 's#\[[^]]*\](\([a-z]*/[^)]*\.md\|CONTRIBUTING.md\))#\1#g' \
	    $(addprefix $(DOCDIR)/,README.md)
	install -D -m 644 -t $(DOCDIR)/examples $(CONFS)
	for of in postgresql prometheus; do install -D -m 644 \
	    -t $(DOCDIR)/examples/$$of conf/$$of/* || exit 1; done

uninstall: ## remove what install put there
	rm -f $(SBINDIR)/electd $(SBINDIR)/electvip $(SBINDIR)/electweb \
	    $(BINDIR)/electctl $(BINDIR)/electsim $(PYDIR)/electd.py \
	    $(DESTDIR)$(PREFIX)/include/electd.h \
	    $(addprefix $(DESTDIR)$(CLIENTDIR)/,$(CLIENT_SO) libelectd.so \
	    libelectd.a pkgconfig/libelectd.pc) \
	    $(foreach p,$(PAGES),$(MANDIR)/man$(lastword $(subst ., ,$(p)))/$(notdir $(p))) \
	    $(addprefix $(UNITSIN)/,$(UNITS) $(ATUNITS)) \
	    $(BASHDIR)/electctl $(ZSHDIR)/_electctl $(FISHDIR)/electctl.fish \
	    $(LIBDIR)/sysusers.d/electd.conf $(LIBDIR)/tmpfiles.d/electd.conf
	rm -rf $(DOCDIR) $(HELPDIR)

dist: ## the committed tree as a tar archive, in build/: builds without git
	@mkdir -p $(BUILD)
	git archive --prefix=electd-$(VERSION)/ \
	    -o $(BUILD)/electd-$(VERSION).tar.gz HEAD

# The packages' own directory: dpkg-buildpackage writes beside the sources.
DEBDIR := $(BUILD)/deb/electd-$(VERSION)

deb: dist ## Debian packages, in build/deb/: DEB_BUILD_OPTIONS=nocheck
	@sh tests/setup.sh deb
	@rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb
	@tar -x -C $(BUILD)/deb -f $(BUILD)/electd-$(VERSION).tar.gz
	@mv $(DEBDIR)/systemd/debian $(DEBDIR)/debian
	cd $(DEBDIR) && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD \
	    dpkg-buildpackage -us -uc -b

# --nodeps: rpm knows nothing of what dpkg has installed.
rpm: dist ## RPM packages, in build/rpm/: CHECK=--nocheck
	@rm -rf $(BUILD)/rpm && mkdir -p $(BUILD)/rpm
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD rpmbuild -tb --nodeps $(CHECK) \
	    -D "_topdir $(abspath $(BUILD))/rpm" -D '_rpmdir %{_topdir}' \
	    -D '_tmppath %{_topdir}' \
	    $(BUILD)/electd-$(VERSION).tar.gz

clean: ## remove what was built
	rm -rf $(BUILD)

-include $(wildcard $(DEPTHS:%=$(BUILD)/%*.d) $(CLIENT_OBJ:%.o=%.d))
