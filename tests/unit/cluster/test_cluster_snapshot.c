/* SPDX-License-Identifier: ISC */
/*
 * Snapshots of whole worlds (PROTOCOL.md, Snapshots). The world itself compares
 * each that is complete with the events of all nodes (process/snapshot.c). Here
 * they are taken while elections run, and datagrams are lost and late; and what
 * makes them fail is told. SEEDS=10000 draws so many worlds.
 * Takes 2 s.
 */
#include "algorithms/registry.h"
#include "tests/lib/often.h"
#include "tests/model/world/assert/world_assert.h"
#include "tests/model/world/draw.h"
#include "tests/unit/group.h"

#include <stdlib.h>

#include "daemon/history/assembly.h"

#define WORLDS    160
#define STORMS    30
#define HEARTBEAT (100 * MSEC)

static const struct assembly *
snapshot_of(struct world *w, process_name name)
{
	assert_non_null(w->processes[name].snapshot.last);
	return w->processes[name].snapshot.last;
}

/* A host crashes, or is cut off; or what was wrong is put right, soon after. */
static void
disturb(struct world *w, struct random *r)
{
	process_name name = (process_name)random_between(r, 1, w->setup.nodes);

	switch (random_below(r, 8)) {
	case 0:
		world_crash(w, name);
		break;
	case 1:
		world_split(w, 1u << name);
		break;
	case 2:
		world_heal(w);
		break;
	default:
		for (name = 1; name <= w->setup.nodes; name++) {
			if (!world_runs(w, name))
				world_start(w, name);
		}
	}
}

/* Any node begins snapshots and elections, one soon after the other. */
static void
storm(struct world *w, struct random *r, bool is_rough)
{
	for (unsigned i = 0; i < STORMS; i++) {
		process_name name =
		    (process_name)random_between(r, 1, w->setup.nodes);

		if (random_below(r, 3) == 0)
			world_elect(w, name);
		else
			world_snapshot(w, name);
		world_run(w, random_below(r, 4 * MSEC));
		if (is_rough)
			disturb(w, r);
		if (random_below(r, 4) == 0)
			world_run(w, random_below(r, 2 * HEARTBEAT));
	}
}

static void
fails(struct world *w, const char *why)
{
	print_error("seed %u\n", (unsigned)w->setup.seed);
	world_fails_case(w, why);
}

/* Draws a world with rough weather, and takes snapshots in it. Adds what it
 * counted. */
static void
take_in_a_storm(uint64_t seed, struct world_counters *sum)
{
	struct world_setup setup = {
		.seed = seed,
		.silent = true,
		.failed = fails,
	};
	struct world_drawn drawn;
	struct wire rough = { .delay_min = 50 * USEC, .delay_max = 3 * MSEC };
	struct random r;
	struct world *w;

	random_init(&r, seed);
	setup.guarantee =
	    seed % 2 == 0 ? GUARANTEE_COMPONENT : GUARANTEE_QUORUM;
	setup.has_group = seed % 3 == 0;
	world_draw(&setup, &drawn, &r);
	if (setup.choices.any_leader)
		setup.preempt = PREEMPT_NEVER;
	w = world_with(setup);
	world_start_all(w);
	world_run(w, 3 * SEC);
	rough.loss = (unsigned)random_below(&r, 300);
	world_weather(w, &rough);
	storm(w, &r, seed % 4 == 0);
	world_weather(w, &(struct wire){ .delay_max = MSEC });
	world_heal(w);
	world_run(w, 10 * SEC);
	assert_false(w->halted);
	sum->snapshots += w->counters.snapshots;
	sum->complete += w->counters.complete;
	sum->compared += w->counters.compared;
	world_end(w);
}

/* SEEDS worlds, if the environment has it. */
static uint64_t
worlds(void)
{
	const char *seeds = getenv("SEEDS");

	return seeds != NULL ? strtoull(seeds, NULL, 10) : often(WORLDS);
}

TEST(all_are_consistent_cuts_in_any_storm)
{
	/* These have found bugs. */
	static const uint64_t seeds[] = { 1248 };
	struct world_counters sum = { .snapshots = 0 };

	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		take_in_a_storm(seeds[i], &sum);
	for (uint64_t seed = 1; seed <= worlds(); seed++)
		take_in_a_storm(seed, &sum);
	print_message("%u of %u complete, %u messages compared\n",
	    (unsigned)sum.complete, (unsigned)sum.snapshots,
	    (unsigned)sum.compared);
	assert_true(sum.complete > sum.snapshots / 3);
	assert_true(sum.compared > sum.complete);
}

static void
assert_complete(
    struct world *w, process_name name, unsigned nodes, uint64_t markers)
{
	const struct assembly *c = snapshot_of(w, name);

	assert_string_equal(snapshot_outcome_name(c->outcome), "complete");
	assert_int_equal(c->count, nodes);
	assert_int_equal(c->markers, markers);
}

WORLD(each_directed_channel_has_one_marker)
{
	struct world *w = world_settled_plain(7);

	world_snapshot(w, 3);
	world_run(w, 100 * MSEC);
	assert_complete(w, 3, 7, 7 * 6);
	assert_int_equal(assembly_leader(snapshot_of(w, 3)), 7);
}

WORLD(ring_is_gone_round_on_both_sides)
{
	struct world_setup setup = {
		.nodes = 20,
		.topology = TOPOLOGY_RING,
		.algorithm = &algorithm_lelann,
	};
	struct world *w = world_with(setup);

	world_begin(w);
	world_snapshot(w, 5);
	world_run(w, 2 * SEC);
	assert_complete(w, 5, 20, 2 * 20);
}

WORLD(many_at_once_do_not_disturb_each_other)
{
	struct world *w = world_settled_plain(8);
	uint64_t term = world_status(w, 1).term;

	for (process_name name = 1; name <= 8; name++)
		world_snapshot(w, name);
	world_run(w, 100 * MSEC);
	for (process_name name = 1; name <= 8; name++)
		assert_complete(w, name, 8, 8 * 7);
	assert_int_equal(world_status(w, 1).term, term);
}

WORLD(snapshots_above_eight_are_busy)
{
	struct world *w = world_settled_plain(12);
	unsigned complete = 0, busy = 0;

	for (process_name name = 1; name <= 12; name++) {
		world_snapshot(w, name);
		world_run(w, 50 * MSEC);
		complete += snapshot_of(w, name)->outcome == SNAPSHOT_COMPLETE;
		busy += snapshot_of(w, name)->outcome == SNAPSHOT_BUSY;
	}
	assert_int_equal(complete, 8);
	assert_int_equal(busy, 4);
	world_run(w, 10 * SEC);
	world_snapshot(w, 12);
	world_run(w, 100 * MSEC);
	assert_complete(w, 12, 12, 12 * 11);
}

WORLD(node_that_dies_meanwhile_is_named)
{
	struct world *w = world_settled_plain(5);
	const struct assembly *c;

	world_crash(w, 2);
	world_snapshot(w, 4);
	world_run(w, 5 * SEC);
	c = snapshot_of(w, 4);
	assert_int_equal(c->outcome, SNAPSHOT_LOST);
	assert_int_equal(c->culprit, 2);
	world_snapshot(w, 4);
	world_run(w, 100 * MSEC);
	assert_complete(w, 4, 4, 4 * 3);
}

/* What it says then comes after its own record, but it remembers, by its disk,
 * what came after the first. */
WORLD(process_that_begins_anew_meanwhile_is_no_part)
{
	struct world *w = world_with(
	    (struct world_setup){ .nodes = 3, .guarantee = GUARANTEE_QUORUM });

	world_begin(w);
	world_cut(w, 1, 3);
	world_cut(w, 2, 1);
	world_snapshot(w, 3);
	world_run(w, 5 * MSEC);
	world_elect(w, 3);
	world_run(w, 40 * MSEC);
	world_crash(w, 2);
	world_start(w, 2);
	world_mend(w, 2, 1);
	world_run(w, 60 * MSEC);
	world_mend(w, 1, 3);
	world_run(w, 5 * SEC);
	assert_int_not_equal(snapshot_of(w, 3)->outcome, SNAPSHOT_COMPLETE);
	assert_int_not_equal(snapshot_of(w, 3)->outcome, SNAPSHOT_OPEN);
}

/* 1 follows 4 in a term that 4 has not seen. */
static bool
runs_ahead(struct world *w)
{
	struct node_status s = world_status(w, 1);

	return s.leader == 4 && s.term > world_status(w, 4).term;
}

/* The others have a candidacy of its last process, and their timers end before
 * they elect again. A snapshot of that is complete, and no broken promise. */
WORLD(next_process_need_not_know_why_others_follow_it)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 4, .algorithm = &algorithm_bully_broadcast });

	world_begin(w);
	world_elect(w, 1);
	world_run(w, 280 * MSEC);
	world_crash(w, 4);
	world_start(w, 4);
	assert_true(world_run_until(w, runs_ahead, 100 * MSEC));
	world_snapshot(w, 1);
	world_run(w, 100 * MSEC);
	assert_complete(w, 1, 4, 4 * 3);
}

WORLD(other_settings_end_it)
{
	struct world *w = world_settled_plain(4);

	world_exchange(w);
	world_settle(w);
	/* Nobody answers before the settings are others. */
	world_weather(w,
	    &(struct wire){ .delay_min = 20 * MSEC, .delay_max = 20 * MSEC });
	world_snapshot(w, 1);
	world_edit_any(w, 0, 15); /* who may lead */
	world_reload(w, 1);
	world_run(w, 3 * SEC);
	assert_int_equal(snapshot_of(w, 1)->outcome, SNAPSHOT_CHANGED);
	assert_int_equal(snapshot_of(w, 1)->culprit, 1);
}
