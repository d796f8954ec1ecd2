/* SPDX-License-Identifier: ISC */
/*
 * Nodes that an operator puts on standby in calm weather: with every algorithm,
 * on every kind of topology that suits it, under both guarantees. The world
 * checks that none of them begins to lead.
 */
#include "tests/lib/shapes.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

#define OLD        SHAPE_NODES  /* leads, as the best */
#define ROOM       (450 * MSEC) /* for a handover: a detection, and a timer */
#define GAP_MAX    (3 * MSEC)   /* QUORUM: the longest time without a leader */
#define REST       (5 * SEC)    /* for what may come later */
#define LEASE_LEFT (2 * SEC)    /* of the leader that died */

static const enum guarantee guarantees[] = { GUARANTEE_COMPONENT,
	GUARANTEE_QUORUM };

static struct world *
three_nodes(enum guarantee guarantee)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 3, .seed = 1, .guarantee = guarantee });

	world_start_all(w);
	assert_settles_on(w, 3);
	return w;
}

/* Lets time pass; gives how long nobody led, at most. */
static nsec_t
longest_gap(struct world *w, nsec_t duration)
{
	nsec_t until = w->now + duration, longest = 0, led_at = w->now;

	while (w->now < until) {
		bool is_led = false;

		assert_true(world_step(w));
		for (process_name name = 1; name <= w->setup.nodes; name++)
			is_led |= world_status(w, name).state == STATE_LEADER;
		if (is_led)
			led_at = w->now;
		else if (longest < w->now - led_at)
			longest = w->now - led_at;
	}
	return longest;
}

/* The leader hands over, stays on standby through a restart, and takes over
 * again when it may lead. */
static void
put_leader_on_standby(const struct shape *shape, enum guarantee guarantee)
{
	struct shape other = *shape;
	struct world *w;
	nsec_t gap;

	other.setup.guarantee = guarantee;
	other.setup.preempt = PREEMPT_ALWAYS;
	w = shape_settled(&other);
	world_standby(w, OLD, NSEC_NEVER);
	gap = longest_gap(w, ROOM);
	if (gap > (guarantee == GUARANTEE_QUORUM ? GAP_MAX : 0))
		fail_msg("%s: nobody led for %lu us", shape->name,
		    (unsigned long)(gap / USEC));
	world_settle(w);
	assert_int_not_equal(world_status(w, 1).leader, OLD);
	world_crash(w, OLD);
	world_run(w, REST);
	world_start(w, OLD);
	world_settle(w);
	assert_true(world_status(w, OLD).standby.is_on);
	assert_int_not_equal(world_status(w, 1).leader, OLD);
	world_stand(w, OLD);
	assert_settles_on(w, OLD);
	world_end(w);
}

TEST(leader_hands_over_and_stays_on_standby)
{
	for (const struct shape *shape = shape_first(); shape != NULL;
	     shape = shape_next(shape)) {
		put_leader_on_standby(shape, GUARANTEE_COMPONENT);
		put_leader_on_standby(shape, GUARANTEE_QUORUM);
	}
}

/* With whom the others had reckoned. */
TEST(follower_is_passed_over)
{
	for (unsigned i = 0; i < 2; i++) {
		struct world *w = three_nodes(guarantees[i]);

		world_standby(w, 2, NSEC_NEVER);
		world_run(w, SEC);
		assert_leader(w, 3);
		world_stop(w, 3);
		world_run(w, REST);
		assert_leader(w, 1);
		world_end(w);
	}
}

static bool
has_missed(struct world *w)
{
	return world_status(w, 2).leader != 3;
}

static bool
first_leads(struct world *w)
{
	return world_status(w, 1).leader == 1;
}

/* At any moment of the election that it would win: whether it was asked, has
 * won or requests votes. The others need not wait longer for that. */
TEST(node_that_is_about_to_be_elected_does_not_lead)
{
	for (unsigned i = 0; i < 2; i++) {
		for (nsec_t after = 0; after < 15 * MSEC; after += 100 * USEC) {
			struct world *w = three_nodes(guarantees[i]);

			world_crash(w, 3);
			assert_true(world_run_until(w, has_missed, SEC));
			world_run(w, after);
			world_standby(w, 2, NSEC_NEVER);
			assert_true(
			    world_run_until(w, first_leads, LEASE_LEFT));
			world_run(w, REST);
			assert_leader(w, 1);
			world_end(w);
		}
	}
}

/* The leader's process is new, and listens: it may begin no election itself. */
static void
put_listener_on_standby(const struct shape *shape, nsec_t after)
{
	struct shape other = *shape;
	struct world *w;

	other.setup.preempt = PREEMPT_ALWAYS;
	w = shape_settled(&other);
	world_crash(w, OLD);
	world_run(w, REST);
	world_start(w, OLD);
	world_run(w, 5 * MSEC);
	world_elect(w, 1);
	world_run(w, after);
	world_standby(w, OLD, NSEC_NEVER);
	world_settle(w);
	assert_int_not_equal(world_status(w, 1).leader, OLD);
	world_end(w);
}

TEST(node_that_listens_does_not_lead_either)
{
	for (const struct shape *shape = shape_first(); shape != NULL;
	     shape = shape_next(shape)) {
		for (nsec_t after = 0; after < 10 * MSEC; after += MSEC)
			put_listener_on_standby(shape, after);
	}
}

TEST(leader_gives_up_though_nobody_takes_over)
{
	for (unsigned i = 0; i < 2; i++) {
		struct world *w = three_nodes(guarantees[i]);

		world_standby(w, 1, NSEC_NEVER);
		world_standby(w, 2, NSEC_NEVER);
		world_run(w, SEC);
		assert_leader(w, 3);
		world_standby(w, 3, NSEC_NEVER);
		world_run(w, REST);
		for (process_name name = 1; name <= 3; name++)
			assert_int_equal(
			    world_status(w, name).state, STATE_NO_LEADER);
		world_stand(w, 1);
		world_run(w, SEC);
		assert_leader(w, 1);
		world_end(w);
	}
}

static bool
first_has_no_leader(struct world *w)
{
	return world_status(w, 1).leader == NODE_NONE;
}

/* The candidate is not lost: an operator put it on standby, and the others know
 * that. */
TEST(others_know_why_the_last_candidate_gave_up)
{
	for (unsigned i = 0; i < 2; i++) {
		for (process_name last = 2; last <= 3; last++) {
			struct world *w = three_nodes(guarantees[i]);
			struct reason reason;

			world_standby(w, 1, NSEC_NEVER);
			world_standby(w, 5 - last, NSEC_NEVER);
			world_run(w, REST);
			assert_leader(w, last);
			world_standby(w, last, REST);
			assert_true(
			    world_run_until(w, first_has_no_leader, REST));
			reason = world_status(w, 1).reason;
			assert_int_equal(reason.kind, REASON_RESIGN);
			assert_int_equal(reason.node, last);
			world_end(w);
		}
	}
}

/* One that resigned would lead on in its place. */
WORLD(leader_gives_up_when_its_successor_dies)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 2, .seed = 1, .guarantee = GUARANTEE_COMPONENT });

	world_begin(w);
	world_crash(w, 1);
	world_standby(w, 2, NSEC_NEVER);
	world_run(w, REST);
	assert_int_equal(world_status(w, 2).state, STATE_NO_LEADER);
	world_stand(w, 2);
	world_run(w, SEC);
	assert_leader(w, 2);
}

WORLD(standby_ends_a_resignation)
{
	struct world *w = three_nodes(GUARANTEE_COMPONENT);

	assert_int_equal(world_resign(w, 3, NODE_NONE), RESIGN_BEGUN);
	world_run(w, SEC);
	world_standby(w, 3, SEC);
	assert_int_equal(world_status(w, 3).standby.cause, STANDBY_ORDER);
	world_run(w, 2 * SEC);
	assert_leader(w, 3);
	assert_false(world_status(w, 3).standby.is_on);
}

TEST(leader_that_rejoins_in_its_handover_is_eligible_after_it)
{
	for (unsigned i = 0; i < 2; i++) {
		struct world *w = three_nodes(guarantees[i]);

		world_standby(w, 3, NSEC_NEVER);
		assert_int_equal(
		    world_status(w, 3).eligibility, INELIGIBLE_STANDBY);
		world_stand(w, 3);
		assert_int_equal(
		    world_status(w, 3).eligibility, INELIGIBLE_HANDS_OVER);
		world_run(w, REST);
		assert_leader(w, 3);
		world_end(w);
	}
}

static bool
has_changed_settings(struct world *w)
{
	return w->processes[3].configs.file.misses != w->setup.misses;
}

/* A node cannot use the next ones, and for a while the others begin no
 * election, as it might yet: the leader waits for that. */
TEST(leader_hands_over_after_a_change_of_settings)
{
	for (nsec_t after = 0; after < SEC; after += 50 * MSEC) {
		struct world *w = world_with((struct world_setup){
		    .nodes = 3, .seed = 1, .guarantee = GUARANTEE_QUORUM });
		struct world_file file;

		world_exchange(w);
		world_start_all(w);
		assert_settles_on(w, 3);
		file = w->processes[3].configs.file;
		file.misses++;
		w->processes[1].configs.refuses_later = true;
		world_edit(w, &file);
		world_reload(w, 3);
		assert_true(world_run_until(w, has_changed_settings, 10 * SEC));
		world_run(w, after);
		world_standby(w, 3, NSEC_NEVER);
		assert_true(longest_gap(w, REST) <= GAP_MAX);
		assert_leader(w, 2);
		world_end(w);
	}
}

/* The delay counts from the end of the standby. */
WORLD(node_that_may_lead_again_waits_as_others_do)
{
	struct world *w = world_with((struct world_setup){ .nodes = 3,
	    .seed = 1,
	    .guarantee = GUARANTEE_COMPONENT,
	    .preempt = PREEMPT_AFTER,
	    .preempt_after = 3 * SEC });

	world_start_all(w);
	assert_settles_on(w, 3);
	world_standby(w, 3, NSEC_NEVER);
	world_run(w, 10 * SEC);
	assert_leader(w, 2);
	world_stand(w, 3);
	world_run(w, 2 * SEC);
	assert_leader(w, 2);
	world_run(w, 2 * SEC);
	assert_leader(w, 3);
	world_standby(w, 3, 10 * SEC);
	world_run(w, 12 * SEC);
	assert_leader(w, 2);
	world_run(w, 2 * SEC);
	assert_leader(w, 3);
}

/* Standby ends in time even while the node's process does not run. */
TEST(standby_ends_after_its_time)
{
	for (unsigned i = 0; i < 2; i++) {
		struct world *w = three_nodes(guarantees[i]);

		world_standby(w, 3, 2 * SEC);
		world_run(w, SEC);
		assert_leader(w, 2);
		world_run(w, 3 * SEC);
		assert_leader(w, 3);
		world_standby(w, 3, 2 * SEC);
		world_run(w, SEC);
		world_crash(w, 3);
		world_run(w, 3 * SEC);
		assert_leader(w, 2);
		world_start(w, 3);
		world_run(w, REST);
		assert_leader(w, 3);
		world_end(w);
	}
}
