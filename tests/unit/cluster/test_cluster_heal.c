/* SPDX-License-Identifier: ISC */
/*
 * Partitions that heal, again and again. Of two leaders that hear each other
 * one is left within three heartbeats and a round trip, whatever came before. A
 * node that is often cut off, or often restarts, does not take over each time
 * that it is back. FLAPS=1 also prints what each case measured. LONG=1 makes
 * the cases four times as long.
 * Takes 9 s.
 */
#include "tests/lib/often.h"
#include "tests/lib/shapes.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

#include <inttypes.h>
#include <stdlib.h>

#define CUTS        20
#define CUT         (2500 * MSEC) /* longer than a lease and a detection */
#define ROUND       (20 * MSEC)   /* an election's messages */
#define CHANGES_MAX 10 /* of leader, before a node is known to be damped */

struct heal {
	nsec_t median, longest; /* time until all followed one leader */
	unsigned changes;       /* of leader, as node 1 saw them */
};

static uint64_t
changes_of(struct world *w, process_name name)
{
	return world_counters(w, name)->changes;
}

static bool
is_one(struct world *w)
{
	node_id leader = world_status(w, 1).leader;

	return leader != NODE_NONE && world_follows(w, leader);
}

static int
compare(const void *a, const void *b)
{
	nsec_t x = *(const nsec_t *)a, y = *(const nsec_t *)b;

	return (x > y) - (x < y);
}

/* Cuts off the best node, and lets it come back. */
static struct heal
heal_often(struct world *w)
{
	const unsigned cuts = often(CUTS);
	node_id best = w->setup.nodes;
	nsec_t times[CUTS];
	uint64_t before;

	world_start_all(w);
	assert_settles_on(w, best);
	before = changes_of(w, 1);
	for (unsigned i = 0; i < cuts; i++) {
		nsec_t healed_at;

		world_split(w, 1U << best);
		world_run(w, CUT);
		world_heal(w);
		healed_at = w->now;
		assert_true(world_run_until(w, is_one, 60 * SEC));
		times[i] = w->now - healed_at;
		world_run(w, nsec_since(healed_at + CUT, w->now));
		assert_true(is_one(w));
	}
	qsort(times, cuts, sizeof(times[0]), compare);
	return (struct heal){
		.median = times[cuts / 2],
		.longest = times[cuts - 1],
		.changes = (unsigned)(changes_of(w, 1) - before),
	};
}

static void
assert_heals_within(const char *name, struct world *w, nsec_t limit)
{
	struct heal h = heal_often(w);

	if (getenv("FLAPS") != NULL)
		print_message("%s, %" PRIu64 " ms: %.1f ms, at most %.1f; "
			      "%u changes of leader\n",
		    name, w->setup.heartbeat / MSEC, (double)h.median / 1e6,
		    (double)h.longest / 1e6, h.changes);
	assert_in_range(h.longest, 0, limit);
	assert_in_range(h.changes, 0, CHANGES_MAX);
	world_settle(w);
	world_end(w);
}

TEST(two_leaders_that_hear_each_other_are_one_soon)
{
	static const nsec_t heartbeats[] = { 10 * MSEC, 100 * MSEC };
	struct world_setup setup = { .nodes = 5, .preempt_after = 3 * SEC };

	for (unsigned i = 0; i < 2; i++) {
		setup.heartbeat = heartbeats[i];
		for (int preempt = PREEMPT_ALWAYS; preempt <= PREEMPT_AFTER;
		     preempt++) {
			setup.preempt = (enum preempt)preempt;
			setup.guarantee = GUARANTEE_COMPONENT;
			assert_heals_within("component", world_with(setup),
			    3 * setup.heartbeat + ROUND);
			setup.guarantee = GUARANTEE_QUORUM;
			assert_heals_within("quorum", world_with(setup),
			    3 * setup.heartbeat + ROUND);
		}
	}
}

/* An algorithm that waits for answers by a timer needs a detection more. */
TEST(every_algorithm_makes_two_leaders_one_soon)
{
	for (const struct shape *s = shape_first(); s != NULL;
	     s = shape_next(s)) {
		struct world *w = shape_world(s);
		bool has_timer =
		    s->setup.algorithm == &algorithm_bully_broadcast;

		assert_heals_within(s->name, w,
		    (has_timer ? 6 : 3) * w->setup.heartbeat + ROUND);
	}
}

/* Counts how often a host changes the leader that is cut off and comes back. */
static unsigned
flap_host(enum guarantee guarantee, nsec_t cut, nsec_t whole, nsec_t duration)
{
	struct world *w = world_with(
	    (struct world_setup){ .nodes = 5, .guarantee = guarantee });
	uint64_t before;

	world_begin(w);
	before = changes_of(w, 1);
	for (nsec_t until = w->now + duration; w->now < until;) {
		world_split(w, 1U << 5);
		world_run(w, cut);
		world_heal(w);
		world_run(w, whole);
		assert_true(guarantee == GUARANTEE_QUORUM || is_one(w));
	}
	before = changes_of(w, 1) - before;
	if (getenv("FLAPS") != NULL)
		print_message("cut for %u ms, whole for %u: %u changes of "
			      "leader in %u s\n",
		    (unsigned)(cut / MSEC), (unsigned)(whole / MSEC),
		    (unsigned)before, (unsigned)(duration / SEC));
	assert_settles_on(w, 5);
	world_end(w);
	return (unsigned)before;
}

/* Some of the cuts take about as long as a detection. */
TEST(host_that_flaps_changes_the_leader_seldom)
{
	static const nsec_t flaps[][2] = {
		{ 300 * MSEC, 400 * MSEC },
		{ 400 * MSEC, 400 * MSEC },
		{ 400 * MSEC, 2500 * MSEC },
		{ SEC, SEC },
		{ 5 * SEC, 2500 * MSEC },
	};
	const nsec_t duration = often(10 * 60) * SEC;

	for (unsigned i = 0; i < sizeof(flaps) / sizeof(flaps[0]); i++)
		for (int g = GUARANTEE_COMPONENT; g <= GUARANTEE_QUORUM; g++)
			assert_in_range(flap_host((enum guarantee)g,
					    flaps[i][0], flaps[i][1], duration),
			    0, CHANGES_MAX);
}

/* A cut that is shorter than the lease leaves its leader the lead. */
TEST(host_that_flaps_keeps_its_lease)
{
	assert_int_equal(
	    flap_host(GUARANTEE_QUORUM, 400 * MSEC, 400 * MSEC, 60 * SEC), 0);
	assert_int_equal(
	    flap_host(GUARANTEE_QUORUM, SEC, 2500 * MSEC, 60 * SEC), 0);
}

TEST(link_that_flaps_for_long_changes_no_leader)
{
	for (int g = GUARANTEE_COMPONENT; g <= GUARANTEE_QUORUM; g++) {
		struct world *w = world_with((struct world_setup){
		    .nodes = 5, .guarantee = (enum guarantee)g });

		world_begin(w);
		for (nsec_t until = w->now + often(3600) * SEC;
		     w->now < until;) {
			world_cut(w, 4, 5);
			world_run(w, SEC);
			world_mend(w, 4, 5);
			world_run(w, SEC);
		}
		assert_leader(w, 5);
		for (process_name name = 1; name <= 5; name++) {
			assert_int_equal(changes_of(w, name), 1);
			assert_int_equal(world_status(w, name).damped_until, 0);
		}
		world_end(w);
	}
}

/* The best node is up for longer than it listens at its start. */
TEST(best_node_that_is_restarted_for_ever_takes_over_seldom)
{
	for (unsigned seconds = 1; seconds <= 5; seconds++) {
		struct world *w = world_settled_plain(5);
		uint64_t before = changes_of(w, 1);

		w->helpers = true;
		for (nsec_t until = w->now + often(3600) * SEC;
		     w->now < until;) {
			world_crash(w, 5);
			world_run(w, SEC);
			world_start(w, 5);
			world_run(w, seconds * SEC);
		}
		before = changes_of(w, 1) - before;
		if (getenv("FLAPS") != NULL)
			print_message("up for %u s: %u changes\n", seconds,
			    (unsigned)before);
		assert_in_range(before, 0, CHANGES_MAX);
		assert_settles_on(w, 5);
		world_end(w);
	}
}

/* An operator stops and starts it, as for an upgrade: it takes over each
 * time. */
WORLD(best_node_that_is_stopped_and_started_stays_undamped)
{
	struct world *w = world_settled_plain(3);

	for (unsigned i = 0; i < 4; i++) {
		world_stop(w, 3);
		world_run(w, SEC);
		assert_leader(w, 2);
		world_start(w, 3);
		world_run(w, 4 * SEC);
		assert_leader(w, 3);
		assert_int_equal(world_status(w, 3).damped_until, 0);
	}
}

/* The damped node leads where no other does, and keeps the lead when other
 * nodes come, unless they have a leader. */
WORLD(damped_node_leads_where_it_is_the_only_one)
{
	struct world *w = world_settled_plain(3);

	for (unsigned i = 0; i < 4; i++) {
		world_split(w, 1U << 3);
		world_run(w, SEC);
		world_heal(w);
		world_run(w, SEC);
	}
	assert_true(world_status(w, 3).damped_until > w->now);
	assert_leader(w, 2);
	world_crash(w, 1);
	world_crash(w, 2);
	world_run(w, SEC);
	assert_leader(w, 3);
	world_start(w, 2);
	assert_settles_on(w, 3);
	assert_int_equal(changes_of(w, 2), 1);
}

/* Node 1 is the last to know of a leader's death, and hears of the next one
 * only through others: it calls one election, not one each time that it hears.
 */
WORLD(damping_leader_is_defended_once)
{
	struct world *w = world_settled_plain(4);
	uint64_t before;

	w->helpers = true;
	for (unsigned i = 0; i < 21; i++) {
		world_split(w, 1U << (1 + i % 3));
		world_run(w, SEC);
		world_heal(w);
		world_run(w, SEC);
	}
	world_cut(w, 1, 4);
	world_cut(w, 1, 3);
	world_run(w, 2 * SEC);
	assert_leader(w, 4);
	for (node_id id = 1; id <= 3; id++)
		assert_true(world_status(w, id).damped_until > w->now);
	before = world_counters(w, 2)->elections;
	world_crash(w, 4);
	world_run(w, SEC);
	assert_leader(w, 3);
	assert_in_range(world_counters(w, 2)->elections - before, 2, 3);
}
