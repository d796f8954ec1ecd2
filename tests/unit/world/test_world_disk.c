/* SPDX-License-Identifier: ISC */
/*
 * Elections under the guarantee "quorum", where promises go to slow disks; and a
 * process under "component" whose disk fails.
 * Takes 5 s.
 */
#include "tests/lib/often.h"
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

#include <stdlib.h>

#define SEEDS 4

/* Timing as it is by default, and as short as electd allows. */
static const struct world_setup timings[] = {
	{ .heartbeat = 100 * MSEC, .lease = 2 * SEC },
	{ .heartbeat = 10 * MSEC, .lease = 100 * MSEC },
};

static const nsec_t syncs[] = { 0, 50 * MSEC, 150 * MSEC, 500 * MSEC,
	700 * MSEC, SEC, 2 * SEC, 4 * SEC, 8 * SEC };

#define FOREVER (1000000 * SEC)

#define TIMINGS (sizeof(timings) / sizeof(timings[0]))
#define LENGTHS (sizeof(syncs) / sizeof(syncs[0]))

/* Makes a cluster whose first disks take so long for each sync; nothing runs
 * yet. */
static struct world *
slow_world(const struct world_setup *timing, unsigned nodes, unsigned slow,
    nsec_t sync, uint64_t seed)
{
	struct world_setup setup = *timing;
	struct world *w;

	setup.nodes = nodes;
	setup.seed = seed;
	setup.guarantee = GUARANTEE_QUORUM;
	w = world_with(setup);
	for (process_name name = 1; name <= slow; name++)
		w->processes[name].disk.sync_always = sync;
	return w;
}

/* True if all running nodes follow one of them. */
static bool
is_led(struct world *w)
{
	node_id leader = NODE_NONE;

	for (process_name name = 1; name <= w->setup.nodes; name++) {
		if (world_runs(w, name))
			leader = world_status(w, name).leader;
	}
	return leader != NODE_NONE && world_runs(w, leader) &&
	       world_follows(w, leader);
}

/* electd(8), STATE: there is a leader within three syncs, and the time that an
 * election takes otherwise: here at most a lease and a second. */
static void
assert_led_soon(struct world *w, nsec_t sync)
{
	nsec_t limit = w->setup.lease + SEC + 3 * sync;

	if (!world_run_until(w, is_led, limit))
		fail_msg("no leader in %u ms with syncs of %u ms",
		    (unsigned)(limit / MSEC), (unsigned)(sync / MSEC));
}

/* Measures the first one, and the next, at any time after that. */
TEST(slow_disks_delay_a_leader_by_three_syncs_at_most)
{
	for (unsigned i = 0; i < TIMINGS * LENGTHS * SEEDS; i++) {
		nsec_t sync = syncs[i / SEEDS % LENGTHS];
		uint64_t seed = 1 + i % SEEDS;
		unsigned nodes = seed % 2 == 0 ? 3 : 5;
		unsigned slow = seed <= 2 ? nodes : nodes / 2 + 1;
		struct world *w = slow_world(
		    &timings[i / SEEDS / LENGTHS], nodes, slow, sync, seed);

		world_start_all(w);
		assert_led_soon(w, sync);
		assert_in_range(world_status(w, 1).term, 1, 2);
		world_run(w, sync * (seed * 2 - 1) / 4);
		world_crash(w, world_status(w, 1).leader);
		assert_led_soon(w, sync);
		world_end(w);
	}
}

/* Node 4 does not hear node 5, and would win without it: the others tell it
 * that node 5 requests votes, or the other way round. */
TEST(node_that_does_not_hear_the_candidate_waits_for_it_too)
{
	for (unsigned i = 0; i < TIMINGS * SEEDS; i++) {
		struct world *w =
		    slow_world(&timings[i / SEEDS], 6, 0, 0, 1 + i % SEEDS);

		world_start_all(w);
		world_cut(w, 4, 5);
		world_settle(w);
		for (process_name name = 2; name <= 6; name++)
			w->processes[name].disk.sync_always = 4 * SEC;
		world_crash(w, 6);
		assert_led_soon(w, 4 * SEC);
		world_end(w);
	}
}

/* Node 1 is the best, and needs the vote of a slow disk: it does not hear nodes
 * 6 and 7, which need none. */
TEST(candidate_is_given_the_time_that_few_slow_disks_take)
{
	for (unsigned i = 0; i < TIMINGS * SEEDS; i++) {
		struct world_setup setup = timings[i / SEEDS];
		struct world *w;

		setup.prefer = PREFER_LOWEST;
		w = slow_world(&setup, 7, 0, 0, 1 + i % SEEDS);
		w->processes[3].disk.sync_always = 8 * SEC;
		w->processes[4].disk.sync_always = 8 * SEC;
		world_start_all(w);
		world_cut(w, 1, 6);
		world_cut(w, 1, 7);
		assert_led_soon(w, 8 * SEC);
		world_end(w);
	}
}

/* The observer's one neighbour is also an observer. */
TEST(observer_at_the_end_of_a_tree_waits_for_a_candidate)
{
	static const struct world_link path[] = { { 1, 2 }, { 2, 3 }, { 3, 4 },
		{ 4, 5 } };

	for (unsigned i = 0; i < TIMINGS; i++) {
		struct world_setup setup = timings[i];
		struct world *w;

		setup.algorithm = algorithm_find("tree");
		setup.topology = TOPOLOGY_TREE;
		setup.links = path;
		setup.links_count = 4;
		w = slow_world(&setup, 5, 3, 8 * SEC, 1);
		w->processes[4].role = w->processes[5].role = ROLE_OBSERVER;
		world_start_all(w);
		assert_led_soon(w, 8 * SEC);
		world_end(w);
	}
}

/* A disk that hangs costs nothing where no majority needs it, be it of a voter,
 * the candidate or a leader. */
TEST(disk_that_hangs_is_not_waited_for_where_others_are_enough)
{
	for (unsigned i = 0; i < TIMINGS * 5; i++) {
		unsigned nodes = i % 2 == 0 ? 3 : 5, hangs = 1 + i % nodes;
		struct world *w = slow_world(&timings[i / 5], nodes, 0, 0, i);

		w->processes[hangs].disk.sync_always = FOREVER;
		world_start_all(w);
		assert_led_soon(w, 0);
		assert_int_equal(world_resign(w, nodes, 0), RESIGN_BEGUN);
		world_run(w, w->setup.lease + SEC);
		assert_true(is_led(w));
		assert_int_equal(world_status(w, 1).leader, nodes - 1);
		world_end(w);
	}
}

/* A promise says of a term all that must outlive a crash. */
WORLD(voters_write_their_promise_and_no_more)
{
	struct world *w = world_with(
	    (struct world_setup){ .nodes = 3, .guarantee = GUARANTEE_QUORUM });
	uint64_t before;

	world_begin(w);
	before = w->counters.syncs;
	world_crash(w, 3);
	assert_settles_on(w, 2);
	assert_int_equal(w->counters.syncs - before, 2);
}

/* Peers make the process go above its last incarnation. The write of a term is
 * under way meanwhile, and fails; or it failed before they met. */
TEST(process_that_cannot_keep_its_incarnation_ends_unheard)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct world *w = world_with(
		    (struct world_setup){ .nodes = 3, .seed = seed });

		world_begin(w);
		world_crash(w, 3);
		world_settle(w);
		world_forget(w, 3);
		w->processes[3].disk.sync_always = seed * 50 * MSEC;
		world_start(w, 3);
		w->processes[3].disk.fails = true;
		if (seed % 2 == 0) {
			world_cut(w, 3, 1);
			world_cut(w, 3, 2);
			world_run(w, 5 * SEC);
			assert_true(world_runs(w, 3));
			world_heal(w);
		}
		world_run(w, 5 * SEC);
		assert_false(world_runs(w, 3));
		assert_leader(w, 2);
		world_start(w, 3);
		assert_settles_on(w, 3);
		world_end(w);
	}
}
