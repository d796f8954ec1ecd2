/* SPDX-License-Identifier: ISC */
/*
 * Leaders that stop or resign in calm weather: with every algorithm, on every
 * kind of topology that suits it, under both guarantees. The nodes are without
 * a leader hardly ever meanwhile; the world checks that two never lead.
 * Takes 5 s.
 */
#include "tests/lib/shapes.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

#define OLD     SHAPE_NODES  /* leads, as the best */
#define ROOM    (450 * MSEC) /* for a handover: a detection, and a timer */
#define DELAY   MSEC         /* of every wire, unless uneven */
#define GAP_MAX (3 * DELAY)  /* QUORUM: the longest time without a leader */
#define REST    (SEC + ROOM) /* for what may come later */
#define SEEDS   20

static bool
somebody_leads(struct world *w)
{
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		if (world_runs(w, name) &&
		    world_status(w, name).state == STATE_LEADER)
			return true;
	}
	return false;
}

/* Lets time pass; gives how long nobody led, at most. */
static nsec_t
longest_gap(struct world *w, nsec_t duration)
{
	nsec_t until = w->now + duration, longest = 0, gap = 0;
	bool is_led = somebody_leads(w);

	while (w->now < until) {
		nsec_t before = w->now;

		assert_true(world_step(w));
		gap = is_led ? 0 : gap + w->now - before;
		longest = gap > longest ? gap : longest;
		is_led = somebody_leads(w);
	}
	return longest;
}

static struct world *
settled_as(
    const struct shape *shape, enum guarantee guarantee, enum preempt preempt)
{
	struct shape other = *shape;

	other.setup.guarantee = guarantee;
	other.setup.preempt = preempt;
	return shape_settled(&other);
}

/* Another node leads soon enough, for this reason. */
static void
assert_handed_over(
    struct world *w, const char *name, nsec_t gap, const char *reason)
{
	nsec_t most = w->setup.guarantee == GUARANTEE_QUORUM ? GAP_MAX : 0;

	if (gap > most)
		fail_msg("%s: nobody led for %lu us", name,
		    (unsigned long)(gap / USEC));
	assert_int_not_equal(world_status(w, 1).leader, OLD);
	assert_leader(w, world_status(w, 1).leader);
	assert_reason(w, reason);
	assert_int_equal(w->counters.accessions, 2);
}

static void
stop_in_calm(const struct shape *shape, enum guarantee guarantee)
{
	struct world *w = settled_as(shape, guarantee, PREEMPT_ALWAYS);
	nsec_t gap;

	w->counters.accessions = 1;
	world_stop(w, OLD);
	gap = longest_gap(w, ROOM);
	assert_false(world_runs(w, OLD));
	assert_handed_over(w, shape->name, gap, "bye:8");
	world_settle(w);
	world_end(w);
}

/* The old leader abstains, and takes over again when it may, not before. */
static void
resign_in_calm(const struct shape *shape, enum guarantee guarantee)
{
	struct world *w = settled_as(shape, guarantee, PREEMPT_ALWAYS);
	nsec_t gap;

	w->counters.accessions = 1;
	assert_int_equal(world_resign(w, OLD, NODE_NONE), RESIGN_BEGUN);
	gap = longest_gap(w, REST);
	assert_handed_over(w, shape->name, gap, "resigned:8");
	assert_true(world_status(w, OLD).standby.is_on);
	world_stand(w, OLD);
	assert_false(world_status(w, OLD).standby.is_on);
	assert_settles_on(w, OLD);
	assert_reason(w, "preempt:7");
	world_end(w);
}

/* The node that the operator names leads, though it is the worst. */
static void
resign_to_the_worst(const struct shape *shape, enum guarantee guarantee)
{
	struct world *w = settled_as(shape, guarantee, PREEMPT_NEVER);
	node_id old = world_status(w, 1).leader;
	node_id to = old == 1 ? 2 : 1;
	nsec_t gap;

	assert_int_equal(world_resign(w, old, to), RESIGN_BEGUN);
	gap = longest_gap(w, REST);
	if (gap > (guarantee == GUARANTEE_QUORUM ? GAP_MAX : 0))
		fail_msg("%s: nobody led for %lu us", shape->name,
		    (unsigned long)(gap / USEC));
	assert_leader(w, to);
	world_stand(w, old);
	world_run(w, REST);
	assert_leader(w, to);
	world_end(w);
}

static void
each_shape(void (*run)(const struct shape *shape, enum guarantee guarantee))
{
	for (const struct shape *s = shape_first(); s != NULL;
	     s = shape_next(s)) {
		run(s, GUARANTEE_COMPONENT);
		run(s, GUARANTEE_QUORUM);
	}
}

TEST(leader_that_is_stopped_leads_until_another_does)
{
	each_shape(stop_in_calm);
}

TEST(leader_that_resigns_leads_until_another_does)
{
	each_shape(resign_in_calm);
}

TEST(node_that_the_operator_names_leads_though_it_is_the_worst)
{
	each_shape(resign_to_the_worst);
}

/* Some messages overtake others. */
static struct world *
uneven(enum guarantee guarantee, enum preempt preempt, uint64_t seed)
{
	const struct wire wire = { .delay_min = 100 * USEC,
		.delay_max = 5 * MSEC };
	struct world *w = world_with((struct world_setup){ .nodes = 5,
	    .seed = seed,
	    .guarantee = guarantee,
	    .preempt = preempt });

	world_weather(w, &wire);
	world_begin(w);
	return w;
}

TEST(named_successor_leads_wherever_it_is_heard_first)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		for (int is_quorum = 0; is_quorum <= 1; is_quorum++) {
			struct world *w = uneven(
			    is_quorum ? GUARANTEE_QUORUM : GUARANTEE_COMPONENT,
			    PREEMPT_NEVER, seed);
			node_id old = world_status(w, 1).leader;
			node_id to = old == 1 ? 2 : 1;

			w->counters.accessions = 0;
			world_resign(w, old, to);
			world_run(w, REST);
			assert_leader(w, to);
			assert_int_equal(w->counters.accessions, 1);
			world_end(w);
		}
	}
}

/* The leader stands again before its successor has taken over. The successor
 * leads, and hands over again. There is no election after another. */
TEST(leader_that_rejoins_at_once_hands_over_all_the_same)
{
	for (int is_quorum = 0; is_quorum <= 1; is_quorum++) {
		struct world *w =
		    uneven(is_quorum ? GUARANTEE_QUORUM : GUARANTEE_COMPONENT,
			PREEMPT_ALWAYS, 1);

		w->counters.accessions = 0;
		assert_int_equal(world_resign(w, 5, NODE_NONE), RESIGN_BEGUN);
		world_stand(w, 5);
		world_run(w, 5 * SEC);
		assert_leader(w, 5);
		assert_in_range(w->counters.accessions, 1, 2);
		assert_in_range(world_status(w, 5).term, 2, 5);
		world_end(w);
	}
}

TEST(named_one_that_dies_is_replaced)
{
	for (int is_quorum = 0; is_quorum <= 1; is_quorum++) {
		struct world *w =
		    uneven(is_quorum ? GUARANTEE_QUORUM : GUARANTEE_COMPONENT,
			PREEMPT_NEVER, 1);
		node_id old = world_status(w, 1).leader;
		node_id to = old == 1 ? 2 : 1;

		world_crash(w, to);
		assert_int_equal(world_resign(w, old, to), RESIGN_BEGUN);
		world_run(w, 5 * SEC);
		assert_true(somebody_leads(w));
		assert_int_not_equal(world_status(w, old).leader, to);
		world_settle(w);
		world_end(w);
	}
}

/* A leader waits for a follower that is down, but not if it names a successor.
 */
TEST(named_one_that_still_listens_takes_over_at_once)
{
	for (int is_quorum = 0; is_quorum <= 1; is_quorum++) {
		struct world *w =
		    uneven(is_quorum ? GUARANTEE_QUORUM : GUARANTEE_COMPONENT,
			PREEMPT_NEVER, 1);
		node_id old = world_status(w, 1).leader;
		node_id to = old == 1 ? 2 : 1;
		nsec_t gap;

		world_crash(w, to);
		world_crash(w, to + 1 == old ? to + 2 : to + 1);
		world_run(w, 2 * SEC);
		world_start(w, to);
		world_run(w, 100 * MSEC);
		assert_int_equal(world_resign(w, old, to), RESIGN_BEGUN);
		gap = longest_gap(w, ROOM);
		assert_int_equal(world_status(w, old).leader, to);
		assert_true(gap <= (is_quorum ? 3 * 5 * MSEC : 0));
		world_end(w);
	}
}

/* The last other node dies as it resigns; it finds that when no leader comes.
 */
WORLD(leader_whose_only_successor_dies_leads_on)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 2, .seed = 1, .guarantee = GUARANTEE_COMPONENT });

	world_begin(w);
	w->counters.accessions = 0;
	world_crash(w, 1);
	assert_int_equal(world_resign(w, 2, NODE_NONE), RESIGN_BEGUN);
	assert_int_equal(longest_gap(w, 5 * SEC), 0);
	assert_leader(w, 2);
	assert_false(world_status(w, 2).standby.is_on);
	assert_int_equal(w->counters.accessions, 0);
}

/* Both others have resigned, one after the other, when the only one left dies.
 */
WORLD(node_that_resigned_is_eligible_again_when_no_other_is)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 3, .seed = 1, .guarantee = GUARANTEE_COMPONENT });

	world_begin(w);
	assert_int_equal(world_resign(w, 3, NODE_NONE), RESIGN_BEGUN);
	world_run(w, 2 * SEC);
	assert_leader(w, 2);
	assert_int_equal(world_resign(w, 2, 1), RESIGN_BEGUN);
	world_run(w, 2 * SEC);
	assert_leader(w, 1);
	assert_true(world_status(w, 2).standby.is_on);
	assert_true(world_status(w, 3).standby.is_on);
	world_crash(w, 1);
	world_run(w, 5 * SEC);
	assert_leader(w, 3);
	assert_false(world_status(w, 3).standby.is_on);
}

/* Clients rely on the old leader until their deadline. */
WORLD(deadline_that_was_handed_out_comes_first)
{
	struct world *w = uneven(GUARANTEE_QUORUM, PREEMPT_ALWAYS, 1);
	nsec_t until;

	w->clients.hold = 1000;
	world_run(w, SEC);
	w->clients.hold = 0;
	until = clock_world(
	    &w->processes[5].clock, w->processes[5].deadlines.handed);
	assert_true(until > w->now + SEC);
	world_stop(w, 5);
	while (w->now < until - MSEC) {
		assert_int_equal(world_status(w, 5).state, STATE_LEADER);
		assert_true(world_step(w));
	}
	assert_true(longest_gap(w, ROOM) <= 3 * 5 * MSEC);
	assert_false(world_runs(w, 5));
	assert_leader(w, 4);
}

/* Clients that have stopped have nothing to wait for. */
WORLD(deadline_that_was_given_back_is_not_waited_for)
{
	struct world *w = uneven(GUARANTEE_QUORUM, PREEMPT_ALWAYS, 1);
	nsec_t until;

	w->clients.hold = w->clients.give_back = 1000;
	world_run(w, SEC);
	w->clients.hold = 0;
	until = clock_world(
	    &w->processes[5].clock, w->processes[5].deadlines.handed);
	assert_true(until > w->now + SEC);
	world_stop(w, 5);
	world_run(w, 500 * MSEC);
	assert_true(w->counters.releases > 0);
	assert_false(world_runs(w, 5));
	assert_leader(w, 4);
	assert_true(w->now < until - 500 * MSEC);
}

/* From now on each write takes up to so long. */
static void
slow_all_disks(struct world *w, nsec_t longest)
{
	for (process_name name = 1; name <= w->setup.nodes; name++)
		w->processes[name].disk.sync_longest = longest;
}

/* A promise counts only when it is on a disk, even if that takes longer than it
 * takes to detect a death. */
TEST(old_leader_leads_on_while_disks_are_slow)
{
	for (uint64_t seed = 1; seed <= 2 * SEEDS; seed++) {
		struct world *w = uneven(GUARANTEE_QUORUM, PREEMPT_NEVER, seed);
		node_id old = world_status(w, 1).leader;

		world_run(w, seed * 7 * MSEC);
		slow_all_disks(w, seed % 3 == 0 ? 450 * MSEC : 150 * MSEC);
		if (seed % 2 == 0)
			world_stop(w, old);
		else
			assert_int_equal(
			    world_resign(w, old, NODE_NONE), RESIGN_BEGUN);
		assert_true(longest_gap(w, 2 * SEC) <= 3 * 5 * MSEC);
		assert_int_not_equal(world_status(w, 1).leader, old);
		world_settle(w);
		world_end(w);
	}
}

/* The successor resigns as soon as it leads. */
TEST(leaders_that_resign_one_after_another_leave_no_gap)
{
	for (uint64_t seed = 1; seed <= 2 * SEEDS; seed++) {
		struct world *w = uneven(GUARANTEE_QUORUM,
		    seed % 2 == 0 ? PREEMPT_NEVER : PREEMPT_ALWAYS, seed);
		node_id old = world_status(w, 1).leader;

		slow_all_disks(w, 150 * MSEC);
		world_resign(w, old, NODE_NONE);
		do
			world_run(w, MSEC);
		while (world_status(w, old).leader == old ||
		       world_status(w, old).leader == NODE_NONE);
		world_resign(w, world_status(w, old).leader, NODE_NONE);
		assert_true(longest_gap(w, 2 * SEC) <= 3 * 5 * MSEC);
		world_end(w);
	}
}

/* An operator asks for an election while a datagram is under way, so that some
 * know that the leader abstains, and some do not. */
TEST(election_in_the_midst_of_a_hand_over_comes_to_its_end)
{
	for (uint64_t seed = 1; seed <= 2 * SEEDS; seed++) {
		struct world *w = uneven(GUARANTEE_QUORUM, PREEMPT_NEVER, seed);
		node_id old = world_status(w, 1).leader;

		world_resign(w, old, NODE_NONE);
		world_run(w, seed % 5 * MSEC);
		world_elect(w, (process_name)(1 + seed % (OLD - 1)));
		assert_true(longest_gap(w, 4 * SEC) <= ROOM);
		assert_int_not_equal(world_status(w, 1).leader, NODE_NONE);
		world_end(w);
	}
}

/* Voters that have promised their successor the next term start again, and so
 * forget that they granted the old leader, which hangs and goes on leading. */
TEST(voters_that_start_again_wait_for_the_old_leader)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct world *w =
		    uneven(GUARANTEE_QUORUM, PREEMPT_ALWAYS, seed);

		world_resign(w, 5, NODE_NONE);
		world_run(w, (seed % 4 + 3) * MSEC);
		world_pause(w, 5);
		world_run(w, 10 * MSEC);
		for (process_name name = 1; name <= 3; name++) {
			world_crash(w, name);
			world_run(w, MSEC);
			world_start(w, name);
			world_run(w, 20 * MSEC);
		}
		world_run(w, 3 * SEC);
		world_resume(w, 5);
		world_stand(w, 5);
		world_settle(w);
		world_end(w);
	}
}
