/* SPDX-License-Identifier: ISC */
/*
 * Whole nodes on a network that fails: partitions, single links, one-way links,
 * bad weather. Each component has one leader, and no leader flaps.
 * Takes 5 s.
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include <string.h>

#define SIDE_LOW (1u << 1 | 1u << 2) /* nodes 1 and 2 */

WORLD(each_side_of_a_partition_has_its_leader)
{
	struct world *w = world_settled_plain(5);

	world_split(w, SIDE_LOW);
	world_settle(w);
	assert_int_equal(world_status(w, 1).leader, 2);
	assert_int_equal(world_status(w, 2).leader, 2);
	for (process_name name = 3; name <= 5; name++) {
		assert_int_equal(world_status(w, name).leader, 5);
		assert_int_equal(world_status(w, name).term, 1);
	}
}

static unsigned
elections_of(const struct world *w, process_name name)
{
	return w->processes[name].observed.notices[NOTICE_ELECTION];
}

WORLD(healed_partition_has_one_leader_after_one_election)
{
	struct world *w = world_settled_plain(5);
	unsigned before[6];
	uint64_t accessions;
	struct reason reason;

	world_split(w, SIDE_LOW);
	world_settle(w);
	for (process_name name = 1; name <= 5; name++)
		before[name] = elections_of(w, name);
	accessions = w->counters.accessions;
	world_heal(w);
	assert_settles_on(w, 5);
	assert_int_equal(w->counters.accessions, accessions + 1);
	reason = world_status(w, 1).reason;
	assert_true(
	    reason.kind == REASON_MERGE || reason.kind == REASON_PREEMPT);
	for (process_name name = 1; name <= 5; name++) {
		assert_in_range(
		    elections_of(w, name), before[name], before[name] + 1);
		assert_int_equal(
		    world_status(w, name).reason.kind, reason.kind);
	}
}

/* The worse side has had more elections, so its term is higher. */
WORLD(healed_partition_follows_the_best_and_not_the_higher_term)
{
	struct world *w = world_settled_plain(5);

	world_split(w, SIDE_LOW);
	world_settle(w);
	for (unsigned i = 0; i < 10; i++) {
		world_elect(w, 1);
		world_settle(w);
	}
	assert_true(world_status(w, 1).term > world_status(w, 5).term);
	world_heal(w);
	assert_settles_on(w, 5);
}

WORLD(every_node_alone_leads_itself_and_all_merge_again)
{
	struct world *w = world_settled_plain(5);

	for (node_id id = 1; id <= 5; id++)
		world_split(w, 1u << id);
	world_settle(w);
	for (node_id id = 1; id <= 5; id++)
		assert_int_equal(world_status(w, id).leader, id);
	world_heal(w);
	assert_settles_on(w, 5);
}

WORLD(cut_between_leader_and_successor_for_a_minute_changes_once_at_most)
{
	struct world *w = world_settled_plain(5);

	world_cut(w, 4, 5);
	world_run(w, 60 * SEC);
	assert_leader(w, 5);
	assert_in_range(w->counters.accessions, 1, 2);
	world_mend(w, 4, 5);
	assert_settles_on(w, 5);
	assert_in_range(w->counters.accessions, 1, 2);
}

/* A leader that is silent to one node only is not dead. */
TEST(link_cut_for_good_never_makes_leadership_flap)
{
	for (node_id id = 1; id <= 4; id++) {
		struct world *w = world_settled_plain(5);

		world_cut(w, id, 5);
		world_run(w, 900 * SEC);
		assert_settles_on(w, 5);
		assert_in_range(w->counters.accessions, 1, 4);
		world_end(w);
	}
}

WORLD(link_cut_for_an_hour_makes_three_changes_at_most)
{
	struct world *w = world_settled_plain(5);

	world_cut(w, 4, 5);
	world_run(w, 3600 * SEC);
	assert_leader(w, 5);
	assert_in_range(w->counters.accessions, 1, 4);
}

WORLD(cut_between_two_followers_changes_nothing)
{
	struct world *w = world_settled_plain(5);

	world_cut(w, 2, 4);
	world_run(w, 60 * SEC);
	assert_leader(w, 5);
	assert_int_equal(w->counters.accessions, 1);
	assert_int_equal(world_status(w, 5).term, 1);
}

/* The cut was there before the nodes started. */
WORLD(nodes_that_never_hear_the_leader_follow_it_all_the_same)
{
	struct world *w = world_plain(5);

	world_cut(w, 1, 5);
	world_cut(w, 2, 5);
	world_start_all(w);
	assert_settles_on(w, 5);
}

/* The leader dies, and its successor and the next cannot hear each other. */
WORLD(leader_dies_while_a_link_among_the_others_is_cut)
{
	struct world *w = world_settled_plain(5);

	world_cut(w, 3, 4);
	world_settle(w);
	world_crash(w, 5);
	assert_settles_on(w, 4);
	assert_in_range(w->counters.accessions, 2, 4);
}

TEST(link_that_works_one_way_only_is_no_link)
{
	for (int inwards = 0; inwards <= 1; inwards++) {
		struct world *w = world_settled_plain(5);

		if (inwards)
			world_cut_way(w, 2, 5);
		else
			world_cut_way(w, 5, 2);
		world_run(w, 120 * SEC);
		assert_leader(w, 5);
		assert_in_range(w->counters.accessions, 1, 3);
		world_heal(w);
		assert_settles_on(w, 5);
		world_end(w);
	}
}

/* All are deaf to it while it hears them, or it is deaf to all. */
TEST(leader_cut_off_one_way_is_replaced_and_comes_back)
{
	for (int deaf = 0; deaf <= 1; deaf++) {
		struct world *w = world_settled_plain(5);

		for (node_id id = 1; id <= 4; id++) {
			if (deaf)
				world_cut_way(w, id, 5);
			else
				world_cut_way(w, 5, id);
		}
		world_run(w, 30 * SEC);
		for (process_name name = 1; name <= 4; name++)
			assert_int_equal(world_status(w, name).leader, 4);
		assert_in_range(w->counters.accessions, 2, 4);
		world_heal(w);
		assert_settles_on(w, 5);
		world_end(w);
	}
}

WORLD(link_that_flaps_is_damped)
{
	struct world *w = world_settled_plain(5);

	for (unsigned i = 0; i < 60; i++) {
		world_cut(w, 4, 5);
		world_run(w, 500 * MSEC);
		world_mend(w, 4, 5);
		world_run(w, 500 * MSEC);
	}
	assert_settles_on(w, 5);
	assert_in_range(w->counters.accessions, 1, 6);
}

static const struct wire storm = {
	.loss = 300,
	.doubles = 100,
	.late = 250,
	.jitter = 20 * MSEC,
	.delay_min = 200 * USEC,
	.delay_max = MSEC,
};

TEST(five_nodes_elect_in_a_storm)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct world *w = world_with(
		    (struct world_setup){ .nodes = 5, .seed = seed });

		world_weather(w, &storm);
		world_start_all(w);
		assert_true(world_run_until(w, world_settled, world_bound(w)));
		assert_leader(w, 5);
		world_end(w);
	}
}

WORLD(ten_minutes_of_storm_change_the_leader_seldom)
{
	struct world *w = world_settled_plain(5);
	uint64_t suspicions = 0, changes;

	world_weather(w, &storm);
	world_run(w, 600 * SEC);
	changes = w->counters.accessions - 1;
	for (process_name name = 1; name <= 5; name++)
		suspicions += world_counters(w, name)->suspicions;
	print_message("600 s at 30 %% loss, 10 %% duplication, 25 %% "
		      "reordering, 20 ms jitter: %u leader changes, "
		      "%u links suspected\n",
	    (unsigned)changes, (unsigned)suspicions);
	assert_in_range(changes, 0, 60);
	world_weather(w, &(struct wire){ .delay_max = MSEC });
	assert_settles_on(w, 5);
}

/* Datagrams that come late, but are not lost, must not cost anything. */
WORLD(duplicates_and_reordering_alone_change_nothing)
{
	struct world *w = world_settled_plain(5);
	struct wire weather = storm;

	weather.loss = 0;
	weather.doubles = 500;
	world_weather(w, &weather);
	world_run(w, 300 * SEC);
	assert_leader(w, 5);
	assert_int_equal(w->counters.accessions, 1);
	assert_int_equal(world_status(w, 1).term, 1);
}

/* Beacons of the leader are still under way, or nodes that have not heard yet
 * pass them on. */
TEST(leader_that_said_goodbye_is_not_taken_again)
{
	const struct wire late = {
		.late = 500, .jitter = 150 * MSEC, .delay_max = MSEC
	};

	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct world *w = world_with(
		    (struct world_setup){ .nodes = 5, .seed = seed });

		world_begin(w);
		world_weather(w, &late);
		world_run(w, SEC);
		world_trace_clear(w);
		world_stop(w, 5);
		world_run(w, 5 * SEC);
		assert_leader(w, 4);
		assert_trace(w, "leader 5", "");
		world_end(w);
	}
}

static uint64_t
dropped_by_all(struct world *w)
{
	uint64_t sum = 0;

	for (process_name name = 1; name <= 5; name++) {
		for (unsigned kind = 0; kind < DROP_KINDS; kind++)
			sum += world_counters(w, name)->dropped[kind];
	}
	return sum;
}

WORLD(flipped_bits_are_dropped_and_change_nothing)
{
	struct world *w = world_settled_plain(5);
	uint64_t before = dropped_by_all(w);

	world_weather(w, &(struct wire){ .corrupt = 50, .delay_max = MSEC });
	world_run(w, 250 * SEC);
	assert_leader(w, 5);
	assert_int_equal(w->counters.accessions, 1);
	assert_true(w->counters.corrupted > 900);
	assert_in_range(dropped_by_all(w) - before, w->counters.corrupted - 5,
	    w->counters.corrupted);
}

/*
 * A node that may not lead elects nobody while it is alone, as an operator asks
 * it to, in a term above the leader's, and later reaches only followers: they
 * begin an election above both (seed 18103).
 */
WORLD(term_without_a_leader_reaches_a_leader_that_cannot_be_heard)
{
	struct world *w = world_plain(3);

	w->processes[1].role = ROLE_VOTER;
	world_begin(w);
	world_split(w, 1u << 1);
	world_settle(w);
	assert_int_equal(world_status(w, 1).state, STATE_NO_LEADER);
	world_elect(w, 1);
	assert_true(world_status(w, 1).term > world_status(w, 3).term);
	world_cut(w, 1, 3);
	world_mend(w, 1, 2);
	assert_settles_on(w, 3);
}
