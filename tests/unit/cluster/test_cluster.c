/* SPDX-License-Identifier: ISC */
/*
 * Whole nodes in a world whose only faults are deaths: which node leads, which
 * takes over, how fast, and with which reason.
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

WORLD(five_nodes_start_and_the_highest_leads_in_one_term)
{
	struct world *w = world_settled_plain(5);

	assert_leader(w, 5);
	assert_reason(w, "start:5");
	for (process_name name = 1; name <= 5; name++) {
		const struct process *p = &w->processes[name];

		assert_int_equal(world_status(w, name).term, 1);
		assert_int_equal(p->observed.notices[NOTICE_LEADER], 1);
		assert_int_equal(p->observed.notices[NOTICE_ELECTION], 1);
	}
	assert_int_equal(w->counters.accessions, 1);
}

WORLD(node_alone_leads_without_a_message)
{
	struct world *w = world_settled_plain(1);

	assert_leader(w, 1);
	assert_int_equal(w->counters.sent, 0);
}

/* The others are configured, but do not run. */
WORLD(last_node_alive_leads)
{
	struct world *w = world_plain(5);

	world_start(w, 2);
	assert_settles_on(w, 2);
}

WORLD(lowest_leads_where_it_is_preferred)
{
	struct world *w = world_with(
	    (struct world_setup){ .nodes = 5, .prefer = PREFER_LOWEST });

	world_start_all(w);
	assert_settles_on(w, 1);
	world_crash(w, 1);
	assert_settles_on(w, 2);
}

WORLD(priority_counts_before_the_id)
{
	struct world *w = world_plain(5);

	w->processes[1].priority = 10;
	w->processes[3].priority = 10;
	w->processes[5].priority = -1;
	world_start_all(w);
	assert_settles_on(w, 3);
	world_crash(w, 3);
	assert_settles_on(w, 1);
	world_crash(w, 1);
	assert_settles_on(w, 4);
}

WORLD(voters_and_observers_never_lead)
{
	struct world *w = world_plain(5);

	w->processes[5].role = ROLE_VOTER;
	w->processes[4].role = ROLE_OBSERVER;
	world_start_all(w);
	assert_settles_on(w, 3);
	world_crash(w, 3);
	world_crash(w, 2);
	assert_settles_on(w, 1);
}

WORLD(no_node_leads_where_none_is_eligible)
{
	struct world *w = world_plain(3);

	for (process_name name = 1; name <= 3; name++)
		w->processes[name].role = ROLE_VOTER;
	world_begin(w);
	for (process_name name = 1; name <= 3; name++)
		assert_int_equal(world_status(w, name).state, STATE_NO_LEADER);
	assert_int_equal(w->counters.accessions, 0);
}

/* When the only eligible node is gone, too, nobody leads any more. */
WORLD(nobody_leads_once_the_only_candidate_is_dead)
{
	struct world *w = world_plain(3);

	w->processes[1].role = ROLE_VOTER;
	w->processes[3].role = ROLE_VOTER;
	world_start_all(w);
	assert_settles_on(w, 2);
	world_crash(w, 2);
	world_settle(w);
	assert_int_equal(world_status(w, 1).state, STATE_NO_LEADER);
	assert_int_equal(world_status(w, 3).state, STATE_NO_LEADER);
	world_start(w, 2);
	assert_settles_on(w, 2);
}

/* Detection takes 3 intervals, with at most 2.5 for jitter, and then comes an
 * election. */
WORLD(killed_leader_is_missed_by_all_and_the_next_one_leads)
{
	struct world *w = world_settled_plain(5);

	world_crash(w, 5);
	assert_follows_within(w, 4, 600 * MSEC);
	assert_reason(w, "missed:5");
	assert_settles_on(w, 4);
	assert_reason(w, "missed:5");
	assert_int_equal(w->counters.accessions, 2);
}

WORLD(killed_follower_changes_nothing)
{
	struct world *w = world_settled_plain(5);

	world_crash(w, 3);
	assert_settles_on(w, 5);
	for (process_name name = 1; name <= 5; name++)
		assert_int_equal(
		    w->processes[name].observed.notices[NOTICE_LEADER], 1);
	assert_int_equal(world_status(w, 5).term, 1);
	assert_int_equal(world_status(w, 5).reachable, 4);
	assert_int_equal(world_status(w, 5).agree, 4);
}

/* A node that loses everyone doubts itself: four times the detection. */
WORLD(all_but_the_lowest_are_killed_and_it_leads)
{
	struct world *w = world_settled_plain(5);

	for (process_name name = 2; name <= 5; name++)
		world_crash(w, name);
	assert_follows_within(w, 1, 1500 * MSEC);
	assert_settles_on(w, 1);
}

WORLD(leaders_are_killed_one_by_one)
{
	struct world *w = world_settled_plain(5);

	for (process_name name = 5; name >= 2; name--) {
		world_crash(w, name);
		assert_follows_within(w, name - 1, 600 * MSEC);
		world_settle(w);
	}
	assert_leader(w, 1);
	assert_int_equal(w->counters.accessions, 5);
}

/* Leader and successor die at once: the next in line waits a step longer. */
WORLD(leader_and_successor_are_killed_at_once)
{
	struct world *w = world_settled_plain(5);

	world_crash(w, 5);
	world_crash(w, 4);
	assert_follows_within(w, 3, 1500 * MSEC);
	assert_settles_on(w, 3);
	assert_int_equal(w->counters.accessions, 2);
}

/*
 * A message without an answer does not mean that its sender slept; else the
 * node would excuse dead peers for ever (seed 12234).
 */
WORLD(node_that_waits_for_a_dead_one_did_not_stall)
{
	struct world *w = world_settled_plain(2);

	world_crash(w, 2);
	world_run(w, 50 * MSEC);
	world_elect(w, 1);
	assert_settles_on(w, 1);
	assert_int_equal(world_counters(w, 1)->stalls, 0);
}

/*
 * All wait for the dead node's OK. Its link goes down, and the election begins
 * again without it: long before its bound of more than a second.
 */
WORLD(election_goes_on_when_the_best_is_found_dead)
{
	struct world *w = world_settled_plain(5);

	world_crash(w, 5);
	world_elect(w, 1);
	assert_follows_within(w, 4, 500 * MSEC);
	assert_settles_on(w, 4);
}

WORLD(restarted_bully_takes_over)
{
	struct world *w = world_settled_plain(5);

	world_crash(w, 5);
	world_settle(w);
	world_start(w, 5);
	assert_settles_on(w, 5);
	assert_reason(w, "preempt:4");
	assert_int_equal(w->counters.accessions, 3);
}

WORLD(leader_stays_where_preemption_is_off)
{
	struct world *w = world_with(
	    (struct world_setup){ .nodes = 5, .preempt = PREEMPT_NEVER });

	world_begin(w);
	world_crash(w, 5);
	world_settle(w);
	world_start(w, 5);
	world_settle(w);
	world_run(w, 600 * SEC);
	assert_leader(w, 4);
	assert_reason(w, "missed:5");
	assert_int_equal(w->counters.accessions, 2);
	world_elect(w, 1);
	assert_settles_on(w, 4);
}

WORLD(better_node_takes_over_after_its_time_and_not_earlier)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 5, .preempt = PREEMPT_AFTER, .preempt_after = 300 * SEC });

	world_start_all(w);
	assert_settles_on(w, 5);
	world_crash(w, 5);
	world_settle(w);
	world_start(w, 5);
	world_run(w, 300 * SEC);
	assert_leader(w, 4);
	world_run(w, 3 * SEC);
	assert_leader(w, 5);
	assert_reason(w, "preempt:4");
	assert_int_equal(w->counters.accessions, 3);
	world_settle(w);
}

/* The higher incarnation says that the old process is dead. */
WORLD(leader_restarted_faster_than_detection_leads_again)
{
	struct world *w = world_settled_plain(5);

	world_crash(w, 5);
	world_run(w, 20 * MSEC);
	world_start(w, 5);
	assert_settles_on(w, 5);
	assert_int_equal(world_status(w, 5).incarnation, 2);
	assert_in_range(w->counters.accessions, 2, 3);
	assert_trace(w, "missed", "");
}

WORLD(follower_restarted_faster_than_detection_changes_nothing)
{
	struct world *w = world_settled_plain(5);

	world_crash(w, 2);
	world_run(w, 20 * MSEC);
	world_start(w, 2);
	assert_settles_on(w, 5);
	assert_int_equal(w->counters.accessions, 1);
	assert_int_equal(world_status(w, 5).term, 1);
}

WORLD(clean_stop_hands_over_faster_than_detection)
{
	struct world *w = world_settled_plain(5);

	world_stop(w, 5);
	assert_follows_within(w, 4, 50 * MSEC);
	assert_reason(w, "bye:5");
	world_settle(w);
	assert_int_equal(w->counters.accessions, 2);
}

/* Every host's clock runs at another rate, and yet no node suspects another. */
WORLD(idle_cluster_holds_no_election_for_a_thousand_seconds)
{
	struct world *w = world_plain(5);

	for (process_name name = 1; name <= 5; name++)
		world_set_clock(w, name, (int)name * 50 - 150);
	world_begin(w);
	world_run(w, 1000 * SEC);
	assert_leader(w, 5);
	for (process_name name = 1; name <= 5; name++) {
		const struct process *p = &w->processes[name];

		assert_int_equal(p->observed.notices[NOTICE_LEADER], 1);
		assert_int_equal(p->observed.notices[NOTICE_ELECTION], 1);
		assert_int_equal(p->observed.notices[NOTICE_PEER_DOWN], 0);
		assert_int_equal(p->observed.notices[NOTICE_STALLED], 0);
		assert_int_equal(world_counters(w, name)->suspicions, 0);
	}
}

/* The whole cluster sends n(n-1) datagrams an interval, and hardly any more. */
WORLD(idle_cluster_sends_one_heartbeat_a_link_and_interval)
{
	struct world *w = world_settled_plain(5);
	uint64_t sent = w->counters.sent;

	world_run(w, 100 * SEC);
	assert_in_range(w->counters.sent - sent, 1000, 20 * 1050);
}

WORLD(node_that_starts_has_had_no_leader_since_then)
{
	struct world *w = world_plain(2);
	nsec_t started;

	world_run(w, 5 * SEC);
	world_start(w, 1);
	started = clock_local(&w->processes[1].clock, w->now);
	world_run(w, 100 * MSEC);
	assert_int_equal(world_status(w, 1).state, STATE_STARTING);
	assert_true(world_status(w, 1).since == started);
}

/* All miss it at about the same time; the first one tells the others. */
TEST(dead_leader_costs_one_election)
{
	/* The times are so near that no node is surely the first. */
	const struct wire lan = {
		.delay_min = 5 * USEC,
		.delay_max = 300 * USEC,
	};

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct world *w = world_with(
		    (struct world_setup){ .nodes = 5, .seed = seed });

		world_weather(w, &lan);
		world_begin(w);
		world_run(w, SEC);
		world_crash(w, 5);
		assert_settles_on(w, 4);
		assert_int_equal(world_status(w, 4).term, 2);
		world_end(w);
	}
}
