/* SPDX-License-Identifier: ISC */
/*
 * A sweep of seeds: whole nodes of an algorithm and a topology drawn from each
 * seed, under faults that are drawn likewise, in kind and in size; in half of
 * the seeds about half of the kinds are left out (swarm testing, protocol.md
 * A). After every event the world's checks run; after the last fault all must
 * settle within the written bound, and stay so.
 *
 *     SEED=123 build/tests/test_sweep              one seed again
 *     SEED=1000 SEEDS=5000 build/tests/test_sweep  so many, from there
 *     SEED=123 TRACE=1 build/tests/test_sweep      with all that happened
 */
#include "tests/world_assert.h"
#include "tests/world_draw.h"

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SEEDS_DEFAULT 300  /* about fifteen seconds */
#define FAILURES_MAX  3    /* shown before the sweep gives up */
#define TAIL_BYTES    8000 /* of the trace of a failure */

enum fault_class {
	CLASS_LOSS,
	CLASS_DOUBLES,
	CLASS_LATE,
	CLASS_CORRUPT,
	CLASS_SLOW,
	CLASS_CUT,
	CLASS_ONE_WAY,
	CLASS_SPLIT,
	CLASS_CRASH,
	CLASS_STOP,
	CLASS_FORGET,
	CLASS_PAUSE,
	CLASS_FREEZE,
	CLASS_CLOCK,
	CLASS_COPY,
	CLASS_NOISE,
	CLASS_ELECT,
	CLASSES,
};

/* What one seed is to go through, and how far it has been drawn. */
struct plan {
	struct world *w;
	struct random random; /* its own: faults do not depend on datagrams */
	bool has[CLASSES];
	nsec_t end; /* of the faults */
};

struct totals {
	unsigned seeds;
	unsigned failures;
	uint64_t accessions;
	nsec_t simulated;
	unsigned slowest_permille; /* of the bound, to settle */
	uint64_t slowest_seed;
};

static char replay[96]; /* the command for the present seed */
static struct totals totals;

static void
show_replay(void)
{
	size_t size = strlen(replay);

	if (write(STDERR_FILENO, replay, size) != (ssize_t)size)
		_exit(1);
}

/* An assertion of the core: say which seed it was. */
static void
aborted(int signal_number)
{
	show_replay();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static const char *
topology_name(enum topology topology)
{
	static const char *const names[] = { "full", "ring", "tree", "graph" };

	return names[topology];
}

static void
failed(struct world *w, const char *why)
{
	size_t from =
	    w->trace_size > TAIL_BYTES ? w->trace_size - TAIL_BYTES : 0;

	fprintf(stderr, "%s\n%s, %s: %s\n", w->trace + from,
	    w->setup.algorithm->name, topology_name(w->setup.topology), why);
	show_replay();
	totals.failures++;
}

static bool
one_in(struct plan *p, unsigned n)
{
	return random_below(&p->random, n) == 0;
}

static unsigned
any_id(struct plan *p)
{
	return (unsigned)random_between(&p->random, 1, p->w->setup.nodes);
}

/* A set of them. */
static unsigned
any_ids(struct plan *p)
{
	return (unsigned)random_below(&p->random, 1u << p->w->setup.nodes) << 1;
}

/* From 20 ms to 10 s, each order of magnitude as often. */
static nsec_t
any_duration(struct plan *p)
{
	nsec_t longest = 20 * MSEC << random_below(&p->random, 10);

	return random_between(&p->random, longest / 2, longest);
}

static struct wire
any_weather(struct plan *p)
{
	struct random *r = &p->random;
	struct wire wire = { .delay_min = 100 * USEC, .delay_max = MSEC };

	if (p->has[CLASS_LOSS])
		wire.loss = (unsigned)random_below(r, 400);
	if (p->has[CLASS_DOUBLES])
		wire.doubles = (unsigned)random_below(r, 500);
	if (p->has[CLASS_LATE]) {
		wire.late = (unsigned)random_below(r, 500);
		wire.jitter = random_below(r, 100 * MSEC);
	}
	if (p->has[CLASS_CORRUPT])
		wire.corrupt = (unsigned)random_below(r, 100);
	if (p->has[CLASS_SLOW])
		wire.delay_max = MSEC << random_below(r, 8);
	return wire;
}

/* A fault, and what undoes it a while later. */
static void
schedule(struct plan *p, nsec_t at, struct fault fault, struct fault undo)
{
	nsec_t after = nsec_after(at, any_duration(p));

	world_at(p->w, at, &fault);
	world_at(p->w, nsec_earlier(after, p->end), &undo);
}

static void
schedule_network(struct plan *p, nsec_t at, enum fault_class class)
{
	const struct fault heal = { .kind = FAULT_HEAL };
	struct fault f = { .target = any_id(p), .other = any_id(p) };
	struct fault mend = f;

	mend.kind = FAULT_MEND;
	if (class == CLASS_SPLIT) {
		f.kind = FAULT_SPLIT;
		f.amount = any_ids(p);
		schedule(p, at, f, heal);
	} else if (class == CLASS_CUT || class == CLASS_ONE_WAY) {
		f.kind = class == CLASS_CUT ? FAULT_CUT_BOTH : FAULT_CUT;
		schedule(p, at, f, mend);
	} else {
		f.kind = FAULT_WEATHER;
		f.weather = any_weather(p);
		world_at(p->w, at, &f);
	}
}

static void
schedule_death(struct plan *p, nsec_t at, enum fault_class class)
{
	const unsigned id = any_id(p);
	const struct fault start = { .kind = FAULT_START, .target = id };
	const struct fault forget = { .kind = FAULT_FORGET, .target = id };
	struct fault f = { .kind = FAULT_CRASH, .target = id };

	if (class == CLASS_STOP)
		f.kind = FAULT_STOP;
	if (class == CLASS_CRASH && one_in(p, 2)) {
		f.kind = FAULT_CRASH_AFTER;
		f.amount = random_below(&p->random, 40);
	}
	if (class == CLASS_FORGET)
		world_at(p->w, at + 1, &forget);
	schedule(p, at, f, start);
}

static void
schedule_host(struct plan *p, nsec_t at, enum fault_class class)
{
	struct fault f = { .target = any_id(p) };
	struct fault undo = { .kind = FAULT_RESUME, .target = f.target };

	if (class == CLASS_PAUSE) {
		f.kind = FAULT_PAUSE;
	} else if (class == CLASS_FREEZE) {
		f.kind = FAULT_FREEZE;
	} else if (class == CLASS_COPY) {
		f.kind = FAULT_COPY;
		f.amount = random_between(&p->random, 1, 4);
		undo =
		    (struct fault){ .kind = FAULT_CRASH, .target = WORLD_COPY };
	} else if (class == CLASS_CLOCK) {
		f.kind = FAULT_CLOCK;
		f.amount = random_below(&p->random, 201) - 100;
		undo = f;
	} else {
		f.kind = class == CLASS_NOISE ? FAULT_NOISE : FAULT_ELECT;
		undo = f;
	}
	schedule(p, at, f, undo);
}

static void
schedule_faults(struct plan *p)
{
	uint64_t count = random_between(&p->random, 0, 24);

	for (uint64_t i = 0; i < count; i++) {
		enum fault_class class =
		    (enum fault_class)random_below(&p->random, CLASSES);
		nsec_t at = random_below(&p->random, p->end);

		if (!p->has[class])
			continue;
		if (class <= CLASS_SPLIT)
			schedule_network(p, at, class);
		else if (class <= CLASS_FORGET)
			schedule_death(p, at, class);
		else
			schedule_host(p, at, class);
	}
}

static void
draw_hosts(struct plan *p)
{
	struct world *w = p->w;

	for (unsigned id = 1; id <= w->setup.nodes; id++) {
		const struct fault start = { .kind = FAULT_START,
			.target = id };
		struct process *host = &w->processes[id];

		if (one_in(p, 4))
			host->priority = (int32_t)random_below(&p->random, 3);
		if (one_in(p, 8))
			host->role = one_in(p, 2) ? ROLE_VOTER : ROLE_OBSERVER;
		if (p->has[CLASS_CLOCK])
			world_set_clock(
			    w, id, (int)random_below(&p->random, 201) - 100);
		world_at(w, random_below(&p->random, 2 * SEC), &start);
	}
}

static void
draw_plan(struct plan *p, uint64_t seed)
{
	struct world_drawn drawn;
	struct world_setup setup = {
		.seed = seed, .trace = true, .failed = failed
	};
	struct wire weather;

	random_init(&p->random, ~seed);
	world_draw(&setup, &drawn, &p->random);
	setup.prefer = one_in(p, 4) ? PREFER_LOWEST : PREFER_HIGHEST;
	if (one_in(p, 4))
		setup.preempt = one_in(p, 2) ? PREEMPT_NEVER : PREEMPT_AFTER;
	setup.preempt_after = any_duration(p);
	/* Whom it makes leader is seldom the best: nobody may mind. */
	if (setup.choices.any_leader)
		setup.preempt = PREEMPT_NEVER;
	setup.heartbeat = one_in(p, 4) ? 50 * MSEC : 100 * MSEC;
	setup.misses = (unsigned)random_between(&p->random, 3, 5);
	p->w = world_new(&setup);
	p->w->copy_shares = one_in(p, 2);
	p->end = random_between(&p->random, 5 * SEC, 40 * SEC);
	for (unsigned i = 0, all = one_in(p, 2); i < CLASSES; i++)
		p->has[i] = one_in(p, 2) || all;
	weather = any_weather(p);
	world_weather(p->w, &weather);
	if (p->has[CLASS_NOISE])
		world_record(p->w);
	draw_hosts(p);
	schedule_faults(p);
}

/* A link or a few that stay cut, both ways or one. */
static void
cut_some(struct plan *p)
{
	uint64_t count = one_in(p, 2) ? 1 : random_between(&p->random, 2, 6);

	while (count-- > 0) {
		if (one_in(p, 2))
			world_cut(p->w, any_id(p), any_id(p));
		else
			world_cut_way(p->w, any_id(p), any_id(p));
	}
}

/* All that lives is well, and yet a few stay dead, or apart. */
static void
end_faults(struct plan *p)
{
	const struct wire fair = { .loss = p->has[CLASS_LOSS] ? 10 : 0,
		.doubles = 50,
		.late = 50,
		.jitter = 5 * MSEC,
		.delay_min = 100 * USEC,
		.delay_max = MSEC };
	struct world *w = p->w;
	unsigned dead = 0;

	world_heal(w);
	world_weather(w, &fair);
	world_crash(w, WORLD_COPY);
	if (one_in(p, 4))
		dead = any_ids(p);
	else if (one_in(p, 6))
		world_split(w, any_ids(p));
	else if (one_in(p, 4))
		cut_some(p);
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		w->processes[name].dies = false;
		world_resume(w, name);
		if (dead >> name & 1)
			world_crash(w, name);
		else
			world_start(w, name);
	}
}

static void
settle_counting(struct world *w, uint64_t seed)
{
	nsec_t bound = world_bound(w);
	unsigned permille;

	world_settle(w);
	permille =
	    (unsigned)(nsec_since(w->settled_at, w->fault_at) / (bound / 1000));
	if (permille > totals.slowest_permille) {
		totals.slowest_permille = permille;
		totals.slowest_seed = seed;
	}
}

static void
run_seed(uint64_t seed)
{
	struct plan p = { .w = NULL };

	snprintf(replay, sizeof(replay),
	    "replay: SEED=%" PRIu64 " build/tests/test_sweep\n", seed);
	draw_plan(&p, seed);
	world_run(p.w, p.end);
	if (!p.w->halted)
		end_faults(&p);
	if (!p.w->halted)
		settle_counting(p.w, seed);
	if (getenv("TRACE") != NULL)
		fputs(p.w->trace, stderr);
	totals.seeds++;
	totals.simulated += p.w->now;
	totals.accessions += p.w->counters.accessions;
	world_free(p.w);
}

static uint64_t
number_from(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);

	return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void
every_seed_keeps_every_promise(void **state)
{
	uint64_t first = number_from("SEED", 1);
	uint64_t count =
	    number_from("SEEDS", getenv("SEED") == NULL ? SEEDS_DEFAULT : 1);

	(void)state;
	signal(SIGABRT, aborted);
	for (uint64_t i = 0; i < count; i++) {
		run_seed(first + i);
		if (totals.failures >= FAILURES_MAX)
			break;
	}
	signal(SIGABRT, SIG_DFL);
	print_message("%u seeds, %" PRIu64 " simulated s, %" PRIu64
		      " times a node led, slowest to settle: %u permille of "
		      "its bound (seed %" PRIu64 ")\n",
	    totals.seeds, totals.simulated / SEC, totals.accessions,
	    totals.slowest_permille, totals.slowest_seed);
	assert_int_equal(totals.failures, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_seed_keeps_every_promise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
