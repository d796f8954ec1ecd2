/* SPDX-License-Identifier: ISC */
/*
 * Whole nodes whose hosts and neighbours misbehave: processes that are
 * stopped and go on, die between two actions, forget, exist twice; hostile
 * datagrams; settings that differ.
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include <string.h>

static bool
five_leads(struct world *w)
{
	return world_status(w, 5).leader == 5;
}

/* The leader was away for 5 s; before requesting votes, it hears the others. */
WORLD(stopped_leader_hears_the_others_before_it_leads_again)
{
	struct world *w = world_settled_plain(5);
	const struct process *p = &w->processes[5];

	world_pause(w, 5);
	assert_follows_within(w, 4, 600 * MSEC);
	world_run(w, 5 * SEC);
	world_resume(w, 5);
	assert_false(five_leads(w));
	assert_true(world_run_until(w, five_leads, 10 * SEC));
	assert_true(p->observed.heard > p->resumed_at);
	assert_settles_on(w, 5);
	assert_int_equal(w->counters.accessions, 3);
	assert_int_equal(p->observed.notices[NOTICE_STALLED], 1);
}

/* The same, but its socket was full, or empty, or no clock ran. */
TEST(stopped_leader_gives_way_however_it_was_stopped)
{
	for (int frozen = 0; frozen <= 1; frozen++) {
		struct world *w = world_settled_plain(5);

		if (frozen)
			world_freeze(w, 5);
		else
			world_pause(w, 5);
		world_run(w, 300 * SEC);
		assert_leader(w, 4);
		world_resume(w, 5);
		assert_settles_on(w, 5);
		assert_in_range(w->counters.accessions, 3, 4);
		world_end(w);
	}
}

WORLD(short_stops_of_the_leader_change_nothing)
{
	struct world *w = world_settled_plain(5);

	for (unsigned i = 0; i < 20; i++) {
		world_pause(w, 5);
		world_run(w, 150 * MSEC);
		world_resume(w, 5);
		world_run(w, SEC);
	}
	assert_leader(w, 5);
	assert_int_equal(w->counters.accessions, 1);
	assert_int_equal(world_status(w, 1).term, 1);
}

TEST(stopped_follower_comes_back_and_changes_nothing)
{
	static const nsec_t stops[] = { SEC / 4, SEC, 5 * SEC, 100 * SEC };

	for (size_t i = 0; i < 4; i++) {
		struct world *w = world_settled_plain(5);

		world_pause(w, 2);
		world_run(w, stops[i]);
		world_resume(w, 2);
		assert_settles_on(w, 5);
		assert_int_equal(w->counters.accessions, 1);
		assert_int_equal(world_status(w, 5).term, 1);
		world_end(w);
	}
}

/* No process died: all hosts stood still together, as in a suspended lab. */
WORLD(all_stopped_at_once_agree_again)
{
	struct world *w = world_settled_plain(5);

	for (process_name name = 1; name <= 5; name++)
		world_pause(w, name);
	world_run(w, 60 * SEC);
	for (process_name name = 1; name <= 5; name++)
		world_resume(w, name);
	assert_settles_on(w, 5);
}

/* The winner dies after k actions of its election, for every k. */
TEST(leader_dies_between_any_two_actions_of_an_election)
{
	for (unsigned k = 0; k < 30; k++) {
		struct world *w = world_settled_plain(5);

		world_crash_after(w, 5, k);
		world_elect(w, 1);
		world_run(w, 5 * SEC);
		assert_false(world_runs(w, 5));
		assert_settles_on(w, 4);
		world_end(w);
	}
}

/* A starting node dies after k actions, and starts again. */
TEST(node_dies_between_any_two_actions_of_its_start)
{
	for (unsigned k = 0; k < 30; k++) {
		struct world *w = world_settled_plain(3);

		world_crash(w, 3);
		world_settle(w);
		world_start(w, 3);
		world_crash_after(w, 3, k);
		world_run(w, 5 * SEC);
		world_crash(w, 3);
		world_start(w, 3);
		assert_settles_on(w, 3);
		assert_int_equal(world_status(w, 3).incarnation, 3);
		world_end(w);
	}
}

WORLD(node_that_forgot_is_told_its_incarnation_and_goes_above)
{
	struct world *w = world_settled_plain(5);

	for (unsigned i = 0; i < 3; i++) {
		world_crash(w, 5);
		world_run(w, 2 * SEC);
		world_start(w, 5);
		world_settle(w);
	}
	assert_int_equal(world_status(w, 5).incarnation, 4);
	world_crash(w, 5);
	world_run(w, 2 * SEC);
	world_forget(w, 5);
	world_start(w, 5);
	assert_settles_on(w, 5);
	assert_int_equal(world_status(w, 5).incarnation, 5);
	assert_int_equal(w->processes[5].disk.durable.incarnation, 5);
	assert_int_equal(w->processes[5].observed.notices[NOTICE_DUPLICATE], 0);
}

/* This holds however its numbers compare with those of the original. */
TEST(id_in_use_twice_is_noticed_by_both_and_neither_is_eligible)
{
	for (unsigned i = 0; i < 6; i++) {
		struct world *w = world_plain(5);

		w->processes[5].disk.durable.incarnation = 4;
		w->network.copy_shares = i % 2 == 1;
		world_begin(w);
		world_copy(w, 5, 4 + i / 2);
		world_run(w, 10 * SEC);
		assert_true(world_status(w, 5).duplicate);
		assert_true(world_status(w, WORLD_COPY).duplicate);
		for (process_name name = 1; name <= 4; name++)
			assert_int_equal(world_status(w, name).leader, 4);
		assert_true(world_status(w, 5).leader != 5);
		assert_true(world_status(w, WORLD_COPY).leader != 5);
		world_end(w);
	}
}

TEST(last_of_two_with_an_id_recovers_whichever_it_is)
{
	for (unsigned i = 0; i < 4; i++) {
		process_name gone = i % 2 == 0 ? 5 : WORLD_COPY;
		struct world *w = world_settled_plain(5);

		w->network.copy_shares = i / 2 == 1;
		world_copy(w, 5, 1);
		world_run(w, 10 * SEC);
		world_crash(w, gone);
		world_settle(w);
		world_run(w, 5 * SEC);
		assert_leader(w, 5);
		assert_false(
		    world_status(w, gone == 5 ? WORLD_COPY : 5).duplicate);
		world_end(w);
	}
}

/*
 * The copy had the higher incarnation, and is gone. Cut off from all peers that
 * know it, the original leads itself, in a high term. After the heal they tell
 * it, and it must go above that incarnation, and give up its lead: to the
 * others the old process is dead.
 */
WORLD(leader_outlives_a_copy_of_higher_incarnation)
{
	struct world *w = world_plain(3);

	w->processes[1].role = ROLE_VOTER;
	w->processes[2].role = ROLE_VOTER;
	world_begin(w);
	world_copy(w, 3, 9);
	world_run(w, 5 * SEC);
	world_crash(w, WORLD_COPY);
	world_split(w, 1u << 3);
	world_settle(w);
	for (unsigned i = 0; i < 9; i++)
		world_elect(w, 3);
	assert_int_equal(world_status(w, 3).leader, 3);
	world_heal(w);
	assert_settles_on(w, 3);
	assert_int_equal(world_status(w, 3).incarnation, 10);
	assert_int_equal(w->processes[3].disk.durable.incarnation, 10);
}

/* Both come up together, before any node leads. */
WORLD(ids_in_use_twice_from_the_start_are_noticed)
{
	struct world *w = world_plain(5);

	world_start_all(w);
	world_copy(w, 5, 1);
	world_run(w, 10 * SEC);
	assert_true(world_status(w, 5).duplicate);
	assert_true(world_status(w, WORLD_COPY).duplicate);
	for (process_name name = 1; name <= 4; name++)
		assert_int_equal(world_status(w, name).leader, 4);
}

static uint64_t
dropped_by(struct world *w, process_name name)
{
	uint64_t sum = 0;

	for (unsigned kind = 0; kind < DROP_KINDS; kind++)
		sum += world_counters(w, name)->dropped[kind];
	return sum;
}

WORLD(random_datagrams_change_nothing_and_are_counted)
{
	struct world *w = world_settled_plain(3);
	struct node_status before = world_status(w, 3), after;
	uint64_t dropped = dropped_by(w, 3);

	for (unsigned i = 0; i < 100000; i++) {
		world_inject_noise(w, 3);
		world_step(w);
	}
	world_run(w, SEC);
	after = world_status(w, 3);
	assert_int_equal(dropped_by(w, 3), dropped + 100000);
	assert_int_equal(after.term, before.term);
	assert_int_equal(after.leader, before.leader);
	assert_true(after.since == before.since);
	world_settle(w);
}

/* Senders and strangers repeat everything that was ever sent. */
WORLD(replayed_conversation_changes_nothing_and_is_counted)
{
	struct world *w = world_plain(3);
	uint64_t dropped, sent, accessions;

	world_record(w);
	world_begin(w);
	world_elect(w, 1);
	world_settle(w);
	dropped = dropped_by(w, 3);
	sent = w->network.tape_count;
	accessions = w->counters.accessions;
	assert_true(sent > 300);
	for (size_t i = 0; i < sent; i++) {
		const struct recording *r = &w->network.tape[i];

		world_inject(
		    w, r->from == 3 ? 1 : r->from, 3, r->bytes, r->size);
		world_inject(w, NODE_NONE, 3, r->bytes, r->size);
		world_run(w, MSEC);
	}
	world_run(w, SEC);
	assert_leader(w, 3);
	assert_int_equal(w->counters.accessions, accessions);
	assert_int_equal(world_status(w, 3).term, 2);
	assert_in_range(dropped_by(w, 3) - dropped, 2 * sent - 20, 2 * sent);
}

/* Datagrams of the last life, also hellos and goodbyes, come again in the next.
 */
WORLD(replayed_former_life_changes_nothing)
{
	struct world *w = world_plain(3);

	world_record(w);
	world_begin(w);
	world_stop(w, 3);
	world_settle(w);
	world_start(w, 3);
	world_settle(w);
	for (size_t i = 0; i < w->network.tape_count; i++) {
		const struct recording *r = &w->network.tape[i];

		world_inject(w, r->from, r->to, r->bytes, r->size);
		world_run(w, MSEC);
	}
	assert_settles_on(w, 3);
	assert_int_equal(w->counters.accessions, 3);
}

/* The neighbours name node 3, but have no session with it. */
WORLD(node_with_other_settings_is_named_and_stays_alone)
{
	struct world *w = world_plain(3);

	w->processes[3].configs.config_id.digest[0] = 1;
	world_start_all(w);
	world_run(w, 10 * SEC);
	for (process_name name = 1; name <= 2; name++) {
		struct peer_status s =
		    node_peer_status(w->processes[name].node, 1);

		assert_int_equal(s.id, 3);
		assert_true(s.differs);
		assert_false(s.session);
		assert_false(s.up);
		assert_int_equal(world_status(w, name).leader, 2);
		assert_int_equal(
		    w->processes[name].observed.notices[NOTICE_DIFFERS], 1);
	}
	assert_int_equal(world_status(w, 3).leader, 3);
	assert_int_equal(w->processes[3].observed.notices[NOTICE_DIFFERS], 2);
}

WORLD(node_whose_settings_are_mended_joins)
{
	struct world *w = world_plain(3);

	w->processes[3].configs.config_id.digest[0] = 1;
	world_start_all(w);
	world_run(w, 10 * SEC);
	world_crash(w, 3);
	w->processes[3].configs.config_id.digest[0] = 0;
	world_start(w, 3);
	assert_settles_on(w, 3);
	assert_false(node_peer_status(w->processes[1].node, 1).differs);
}

/*
 * For a moment it looks like a second process of its id. Once it has gone above
 * its old incarnation, its peers hold nothing of that against it (seed 122141).
 */
WORLD(leader_restarted_at_once_without_its_state_leads_again_soon)
{
	struct world *w = world_settled_plain(3);

	world_crash(w, 3);
	world_forget(w, 3);
	world_start(w, 3);
	world_run(w, 600 * MSEC);
	assert_follows_within(w, 3, 2 * SEC);
}
