/* SPDX-License-Identifier: ISC */
/*
 * The simulated world under the guarantee "quorum": disks, durable states,
 * clients, and that its checks can fail.
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

static void
halts(struct world *w, const char *why)
{
	(void)why;
	assert_true(w->halted);
}

static struct world *
quorum_of(unsigned nodes)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = nodes, .guarantee = GUARANTEE_QUORUM });

	world_begin(w);
	return w;
}

static struct world *
forgiving(unsigned nodes)
{
	struct world *w = quorum_of(nodes);

	w->setup.failed = halts;
	return w;
}

static void
assert_broken(struct world *w, const char *what)
{
	assert_true(w->halted);
	if (strstr(w->trace.text, what) == NULL) {
		fprintf(stderr, "%s\n", w->trace.text);
		fail_msg("it did not break: %s", what);
	}
	world_end(w);
}

WORLD(minority_has_no_leader_and_says_so)
{
	struct world *w = quorum_of(5);

	world_split(w, 1u << 5 | 1u << 4);
	world_settle(w);
	assert_int_equal(world_status(w, 3).state, STATE_LEADER);
	assert_int_equal(world_status(w, 5).state, STATE_NO_QUORUM);
	assert_int_equal(world_status(w, 4).state, STATE_NO_QUORUM);
	world_heal(w);
	assert_settles_on(w, 5);
}

WORLD(two_voters_need_each_other)
{
	struct world *w = quorum_of(2);

	assert_leader(w, 2);
	world_crash(w, 1);
	assert_settles_on(w, NODE_NONE);
	assert_int_equal(world_status(w, 2).state, STATE_NO_QUORUM);
}

/* A promise on its way to a slow disk is kept, or not. */
TEST(crash_leaves_the_old_state_or_the_new_one)
{
	unsigned kept = 0, lost = 0;

	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct world *w = world_with((struct world_setup){
		    .nodes = 3, .seed = seed, .guarantee = GUARANTEE_QUORUM });
		uint64_t before;

		world_begin(w);
		w->processes[1].disk.sync_longest = SEC;
		world_crash(w, 3);
		while (!w->processes[1].disk.is_syncing)
			assert_true(world_step(w));
		before = w->processes[1].disk.durable.promise.term;
		world_crash(w, 1);
		if (w->processes[1].disk.durable.promise.term > before)
			kept++;
		else
			lost++;
		world_end(w);
	}
	assert_true(kept > 0);
	assert_true(lost > 0);
}

/* The voter may vote again after its next start. */
WORLD(voter_whose_disk_fails_votes_no_more)
{
	struct world *w = quorum_of(3);

	w->processes[1].disk.fails = true;
	world_crash(w, 3);
	world_settle(w);
	assert_int_equal(world_status(w, 1).state_health, STATE_HEALTH_FAILED);
	assert_false(world_status(w, 1).has_vote);
	assert_leader(w, NODE_NONE);
	world_crash(w, 1);
	world_start(w, 1);
	world_settle(w);
	assert_true(world_status(w, 1).has_vote);
	assert_leader(w, 2);
}

WORLD(voter_whose_state_is_lost_is_admitted_by_a_leader)
{
	struct world *w = quorum_of(3);

	world_crash(w, 1);
	world_forget(w, 1);
	world_start(w, 1);
	assert_int_equal(world_status(w, 1).state_health, STATE_HEALTH_LOST);
	world_run(
	    w, 2 * SEC); /* a lease, and all that it has granted is over */
	assert_false(world_status(w, 1).has_vote);
	world_settle(w);
	assert_true(world_status(w, 1).has_vote);
	assert_int_equal(w->counters.admitted, 1);
	world_crash(w, 1);
	world_start(w, 1);
	assert_true(world_status(w, 1).has_vote);
}

/* Nobody leads without it: what it has forgotten may count. */
WORLD(voter_whose_state_is_lost_is_not_admitted_where_nobody_leads)
{
	struct world *w = quorum_of(3);

	world_crash(w, 1);
	world_forget(w, 1);
	world_crash(w, 2);
	world_start(w, 1);
	world_run(w, 20 * SEC);
	assert_false(world_status(w, 1).has_vote);
	assert_int_equal(world_status(w, 1).leader, NODE_NONE);
	world_start(w, 2);
	world_settle(w);
	assert_true(world_status(w, 1).has_vote);
}

/* Two of the four vote, or only one may lead. */
TEST(disk_of_a_voter_is_not_lost_where_nobody_could_lead_without_it)
{
	static const enum role roles[] = { ROLE_OBSERVER, ROLE_VOTER };

	for (unsigned i = 0; i < 2; i++) {
		struct world *w = world_with((struct world_setup){
		    .nodes = 4, .guarantee = GUARANTEE_QUORUM });

		w->processes[1].role = w->processes[2].role = roles[i];
		w->processes[3].role = ROLE_VOTER;
		world_begin(w);
		world_crash(w, 4);
		world_forget(w, 4);
		world_start(w, 4);
		assert_true(world_status(w, 4).has_vote);
		world_crash(w, 1);
		world_forget(w, 1);
		assert_true(w->processes[1].disk.is_lost);
		world_end(w);
	}
}

WORLD(voter_that_was_admitted_keeps_its_vote_as_settings_change)
{
	struct world *w = world_with(
	    (struct world_setup){ .nodes = 3, .guarantee = GUARANTEE_QUORUM });
	struct world_file file;

	world_exchange(w);
	world_begin(w);
	world_crash(w, 1);
	world_forget(w, 1);
	world_start(w, 1);
	world_settle(w);
	assert_int_equal(w->counters.admitted, 1);
	file = w->processes[3].configs.file;
	file.priorities[2]++;
	world_edit(w, &file);
	world_reload(w, 3);
	world_settle(w);
	assert_int_equal(
	    w->processes[1].configs.file.priorities[2], file.priorities[2]);
	assert_true(world_status(w, 1).has_vote);
	assert_int_equal(w->counters.admitted, 1);
}

WORLD(old_copy_of_the_state_is_detected)
{
	struct world *w = quorum_of(3);

	for (unsigned i = 0; i < 3; i++) {
		world_crash(w, 3);
		world_settle(w);
		world_start(w, 3);
		world_settle(w);
	}
	world_crash(w, 3);
	world_settle(w);
	world_run(w, 3 * SEC);
	world_members_back(w, 3, 2);
	assert_true(world_runs(w, 3));
	world_run(w, 2 * SEC);
	assert_int_equal(world_status(w, 3).state_health, STATE_HEALTH_REVOKED);
	assert_leader(w, 2);
	world_settle(w); /* a leader has admitted it */
	assert_true(world_status(w, 3).has_vote);
	assert_leader(w, 3);
}

WORLD(stopped_leader_leads_until_its_deadline)
{
	struct world *w = quorum_of(3);
	nsec_t until;

	w->clients.hold = 1000;
	world_run(w, SEC);
	w->clients.hold = 0;
	until = clock_world(
	    &w->processes[3].clock, w->processes[3].deadlines.handed);
	assert_true(until > w->now);
	world_stop(w, 3);
	assert_true(world_runs(w, 3));
	world_run(w, until - 2 - w->now);
	assert_true(world_runs(w, 3));
	world_run(w, MSEC);
	assert_false(world_runs(w, 3));
	assert_settles_on(w, 2);
}

/* A wait by a clock that stands still is no loop. */
WORLD(helper_of_a_frozen_host_waits_with_it)
{
	struct world *w = quorum_of(3);
	uint64_t sent;

	w->helpers = true;
	for (bool waits = false; !waits; world_settle(w)) {
		w->clients.hold = 1000;
		world_run(w, SEC);
		w->clients.hold = 0;
		world_crash(w, 3);
		for (size_t i = 0; i < w->queue.count; i++)
			waits |= w->queue.heap[i]->kind == PENDING_WILL &&
				 w->queue.heap[i]->sent > 0;
		world_start(w, 3);
		if (waits)
			world_freeze(w, 3);
	}
	world_run(w, 10 * SEC);
	sent = w->counters.sent;
	world_run(w, 10 * w->setup.lease);
	assert_true(w->counters.sent > sent);
	world_resume(w, 3);
	assert_settles_on(w, 3);
}

/* A node that was frozen with its clock may be wrong for one lease, no
 * longer. */
WORLD(frozen_leader_is_excused_for_one_lease)
{
	struct world *w = quorum_of(3);
	bool overlapped = false;

	world_run(w, 10 * MSEC);
	world_freeze(w, 3);
	world_run(w, 10 * SEC);
	overlapped = world_status(w, 3).state == STATE_LEADER &&
		     world_status(w, 2).state == STATE_LEADER;
	assert_true(overlapped);
	world_resume(w, 3);
	world_settle(w);
}

/* The helper waits for the last deadline that its node handed out, on a clock
 * that comes to stand still, as the node has started anew and its host is
 * frozen. */
TEST(frozen_host_keeps_its_helper_from_speaking)
{
	for (int i = 0; i < 10; i++) {
		struct world *w = quorum_of(3);

		w->helpers = true;
		w->clients.hold = 1000;
		world_run(w, SEC);
		world_crash(w, 3);
		assert_true(w->processes[3].deadlines.handed > 0);
		world_start(w, 3);
		world_run(w, MSEC);
		world_freeze(w, 3);
		world_run(w, 10 * SEC);
		world_resume(w, 3);
		world_settle(w);
		world_end(w);
	}
}

static struct accession
reign_of(struct world *w, uint64_t term)
{
	(void)w;
	return (struct accession){ .term = term,
		.owner = { .id = 9, .incarnation = 9 } };
}

TEST(checks_notice_a_term_with_two_leaders)
{
	struct world *w = forgiving(3);

	w->leaders.reigns[0] = reign_of(w, world_status(w, 3).term + 1);
	world_elect(w, 3);
	world_run(w, SEC);
	assert_broken(w, "BROKEN: I1: term");
}

TEST(checks_notice_a_leader_of_a_lower_term)
{
	struct world *w = forgiving(3);

	w->leaders.reigns[0] = reign_of(w, 1000);
	world_elect(w, 3);
	world_run(w, SEC);
	assert_broken(w, "BROKEN: I3: 3 leads");
}

/* Without an excuse, a leader that was frozen is the second one. */
TEST(checks_notice_two_leaders_at_once)
{
	struct world *w = forgiving(3);

	world_run(w, 10 * MSEC);
	world_freeze(w, 3);
	w->processes[3].lead.excused_until = 0;
	world_run(w, 10 * SEC);
	assert_broken(w, "BROKEN: I2: 3 leads");
}

TEST(checks_notice_a_deadline_that_lies_ahead)
{
	struct world *w = forgiving(3);
	struct process *p = &w->processes[3];

	world_crash(w, 3);
	p->deadlines.handed = clock_local(&p->clock, w->now) + 60 * SEC;
	p->deadlines.life = p->lives;
	world_run(w, 10 * SEC);
	assert_broken(w, "a client of 3 relies on that one");
}

TEST(checks_notice_a_node_that_breaks_its_promise)
{
	struct world *w = forgiving(3);
	struct process *p = &w->processes[3];

	p->deadlines.handed = clock_local(&p->clock, w->now) + 60 * SEC;
	p->deadlines.life = p->lives;
	p->deadlines.bound = p->deadlines.handed;
	world_split(w, 1u << 3);
	world_run(w, 10 * SEC);
	assert_broken(w, "3 leads no more, and promised to");
}

TEST(checks_notice_a_promise_that_goes_back)
{
	struct world *w = forgiving(3);

	w->processes[1].disk.durable.promise.term = 1000;
	world_crash(w, 3);
	world_run(w, 10 * SEC);
	assert_broken(w, "BROKEN: 1 goes back from");
}

/* Messages come in another order, or to another process than their receiver. */
TEST(checks_notice_a_message_out_of_order)
{
	struct world *w = forgiving(3);

	world_elect(w, 1);
	world_tap_forget(w, 1, 3);
	world_run(w, SEC);
	assert_broken(w, "BROKEN: 3 took a message that 1");
}

TEST(checks_notice_a_node_that_never_stops_sending)
{
	const uint8_t byte = 0;
	struct world *w = forgiving(3);

	for (unsigned i = 0; i < 1000 && !w->halted; i++)
		world_send(w, 1, 2, &byte, 1);
	assert_broken(w, "BROKEN: 1 sent");
}
