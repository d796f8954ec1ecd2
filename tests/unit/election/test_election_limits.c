/* SPDX-License-Identifier: ISC */
/*
 * The edges of an election: impossible terms, senders without a link, links of
 * a ring lost in the middle, nodes that are lost or no longer eligible, and
 * deadlines while nothing can be done. The algorithm is the puppet: START sends
 * ASK to all.
 */
#include "tests/unit/group.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/election/election.h"
#include "tests/lib/puppet.h"

#define PEERS    PUPPET_LINKS_MAX
#define SETTLE   (50 * MSEC)
#define BOUND    (1 * SEC)
#define BEGIN    (1000 * SEC)
#define EXCHANGE (300 * MSEC)

static const struct rank self = { .is_eligible = true, .id = 9 };
static const struct reason reason = { REASON_DIED, 4 };
static struct link links[PEERS];
static struct election e;
static void *memory;

static int
enter(void **state)
{
	struct election_setup setup = {
		.algorithm = &puppet,
		.links = links,
		.links_count = PEERS,
		.settle = SETTLE,
		.bound = BOUND,
		.exchange = EXCHANGE,
		.seed = 1,
	};

	(void)state;
	for (unsigned i = 0; i < PEERS; i++)
		links[i] = (struct link){
			.rank = { .is_eligible = true, .id = i + 1 },
			.session = i + 1,
		};
	memory = calloc(1, election_size(&puppet, PEERS));
	election_init(&e, memory, &setup);
	memset(&puppet_seen, 0, sizeof(puppet_seen));
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	election_check(&e);
	election_history_check(&e.history);
	free(memory);
	return 0;
}

/* Takes all messages; sets a bit for each link that has one. */
static unsigned
take_all(void)
{
	unsigned taken = 0, link;
	struct message m;

	while (election_take(&e, &link, &m))
		taken |= 1U << link;
	return taken;
}

static void
start(nsec_t now)
{
	election_start(&e, now, &self, reason);
	take_all();
}

#define CASE(name) TEST(name, enter, leave)

/* This holds however near the last term this node already is. */
CASE(no_term_is_beyond_the_last)
{
	struct message m = { .term = TERM_MAX + 1, .kind = QUESTION };

	e.term = TERM_MAX - 2;
	assert_false(election_saw(&e, TERM_MAX + 1));
	assert_int_equal(
	    election_receive(&e, BEGIN, &self, 0, &m), RECEIPT_ABSURD);
	assert_true(e.term == TERM_MAX - 2);
	assert_true(election_saw(&e, TERM_MAX));
	assert_true(e.term == TERM_MAX);
}

/* A node may have led in the last term, and a damaged state file may tell of
 * it. */
CASE(no_election_begins_after_the_last_term)
{
	struct election_setup setup = e.setup;

	setup.term_min = TERM_MAX;
	election_init(&e, memory, &setup);
	assert_true(election_is_spent(&e));
}

/* A node without a link to ours has the election by other ways than we. */
CASE(message_by_no_link_is_outside_and_begins_again)
{
	struct message m = { .term = 1, .kind = QUESTION };

	start(BEGIN);
	assert_int_equal(
	    election_receive(&e, BEGIN, &self, UINT_MAX, &m), RECEIPT_OUTSIDE);
	assert_int_equal(take_all(), 0);
	assert_true(e.restart_at == BEGIN + SETTLE);
	assert_int_equal(e.past->received[QUESTION], 0);
}

/* An election runs where the message comes from, so the node joins its term. */
CASE(later_term_by_no_link_is_joined_all_the_same)
{
	struct message m = { .term = 5, .reason = { REASON_BYE, 2 } };

	start(BEGIN);
	assert_int_equal(
	    election_receive(&e, BEGIN, &self, UINT_MAX, &m), RECEIPT_OUTSIDE);
	assert_int_equal(e.run_term, 5);
	assert_int_equal(e.reason.kind, REASON_BYE);
	assert_int_equal(puppet_seen.inits, 2);
	assert_true(e.restart_at == BEGIN + SETTLE);
}

/* Nothing can reach an instance without links, and it never began by itself:
 * all would wait for it until its bound. */
CASE(joined_without_any_link_it_begins_again_by_itself)
{
	struct message m = { .term = 5, .kind = QUESTION };

	for (unsigned i = 0; i < PEERS; i++)
		links[i].session = 0;
	assert_int_equal(
	    election_receive(&e, BEGIN, &self, UINT_MAX, &m), RECEIPT_OUTSIDE);
	assert_int_equal(puppet_seen.view.links_count, 0);
	assert_true(election_deadline(&e) == BEGIN + SETTLE);
	assert_true(election_tick(&e, BEGIN + SETTLE, &self));
	assert_int_equal(e.run_term, 6);
	assert_true(e.past->is_starter);
}

static void
begin_ring(void)
{
	struct election_setup setup = e.setup;

	setup.links_count = RING_LINKS;
	setup.is_ring = true;
	election_init(&e, memory, &setup);
	election_start(&e, BEGIN, &self, reason);
}

/* A message to the right is not for the node that is there next. */
CASE(message_for_a_side_that_has_changed_goes_nowhere)
{
	unsigned link;
	struct message m;

	begin_ring();
	links[RING_RIGHT].session = 7;
	assert_true(election_take(&e, &link, &m));
	assert_int_equal(link, RING_LEFT);
	assert_false(election_take(&e, &link, &m));
	assert_int_equal(e.past->sent[ASK], 1);
}

CASE(message_for_a_side_that_is_gone_goes_nowhere)
{
	begin_ring();
	links[RING_RIGHT].session = 0;
	links[RING_LEFT].session = 0;
	assert_int_equal(take_all(), 0);
	assert_int_equal(e.past->sent[ASK], 0);
}

/* The peer is the same again, but its messages in between are lost. */
CASE(ring_in_which_a_message_went_astray_begins_again)
{
	struct message m = { .term = 1, .kind = QUESTION };

	begin_ring();
	take_all();
	assert_int_equal(
	    election_receive(&e, BEGIN, &self, UINT_MAX, &m), RECEIPT_OUTSIDE);
	assert_true(election_tick(&e, BEGIN + SETTLE, &self));
	assert_int_equal(e.run_term, 2);
	/* Or a message to it is lost. */
	links[RING_RIGHT].session = 7;
	election_links_changed(&e, BEGIN + SETTLE);
	take_all();
	links[RING_RIGHT].session = RING_RIGHT + 1;
	assert_true(election_tick(&e, BEGIN + 2 * SETTLE, &self));
	assert_int_equal(e.run_term, 3);
	/* Nothing of this election is lost. */
	take_all();
	links[RING_RIGHT].session = 7;
	election_links_changed(&e, BEGIN + 2 * SETTLE);
	links[RING_RIGHT].session = RING_RIGHT + 1;
	assert_false(election_tick(&e, BEGIN + 3 * SETTLE, &self));
	assert_int_equal(e.run_term, 3);
}

/* Elsewhere a link is a node, and its channel knows what to drop. */
CASE(message_of_no_ring_is_given_out_whatever_its_link)
{
	election_start(&e, BEGIN, &self, reason);
	links[2].session = 0;
	assert_int_equal(take_all(), 0xf);
}

CASE(deadline_that_is_due_waits_and_a_later_one_stays)
{
	nsec_t bound_at;

	start(BEGIN);
	election_links_changed(&e, BEGIN);
	bound_at = e.bound_at;
	election_wait(&e, BEGIN);
	assert_true(e.bound_at == bound_at);
	assert_true(e.restart_at == BEGIN + SETTLE);
	election_wait(&e, BEGIN + SETTLE);
	assert_true(e.bound_at == bound_at);
	assert_true(e.restart_at == BEGIN + 2 * SETTLE);
	election_wait(&e, bound_at);
	assert_true(e.bound_at == bound_at + SETTLE);
	assert_true(e.restart_at == bound_at + SETTLE);
	assert_false(election_tick(&e, bound_at, &self));
	assert_int_equal(e.run_term, 1);
}

/* A settled election stays settled. */
CASE(waiting_starts_no_election)
{
	start(BEGIN);
	election_settle(&e);
	election_wait(&e, BEGIN + 10 * BOUND);
	assert_true(election_deadline(&e) == NSEC_NEVER);
}

/* The change was undone, but the bound has passed meanwhile. */
CASE(bound_begins_again_though_no_link_has_changed)
{
	start(BEGIN);
	e.restart_at = e.bound_at;
	assert_true(election_tick(&e, e.bound_at, &self));
	assert_int_equal(take_all(), 0xf);
	assert_int_equal(e.run_term, 2);
	assert_int_equal(e.restarts, 1);
	assert_true(e.restart_at == NSEC_NEVER);
}

/* Under quorum no honest term is far above all that were seen. */
CASE(quorum_credits_smaller_jumps)
{
	e.setup.is_nominating = true;
	assert_true(election_credits(&e, TERM_JUMP_QUORUM));
	assert_false(election_credits(&e, TERM_JUMP_QUORUM + 1));
	assert_true(election_saw(&e, 7));
	assert_true(election_credits(&e, TERM_JUMP_QUORUM + 7));
	assert_false(election_saw(&e, TERM_JUMP_QUORUM + 8));
	assert_true(e.term == TERM_JUMP_QUORUM + 7);
	assert_true(election_saw(&e, TERM_JUMP_QUORUM + 8));
	assert_true(e.term == TERM_JUMP_QUORUM + 8);
	assert_false(election_saw(&e, TERM_MAX));
	assert_true(e.term == 2 * TERM_JUMP_QUORUM + 8);
	assert_false(election_saw(&e, UINT64_MAX));
	assert_true(e.term == 2 * TERM_JUMP_QUORUM + 8);
}

/* The first terms of a config version are far above those of the one before. */
CASE(terms_near_the_credible_one_are_as_good_as_those_near_the_highest)
{
	const uint64_t credible = 9 * TERM_JUMP_MAX;

	e.setup.is_nominating = true;
	e.setup.credible = credible;
	assert_true(election_credits(&e, credible));
	assert_true(election_credits(&e, credible + TERM_JUMP_QUORUM));
	assert_false(election_credits(&e, credible + TERM_JUMP_QUORUM + 1));
	assert_true(election_credits(&e, 2 * TERM_JUMP_QUORUM));
	assert_true(election_saw(&e, credible + 5));
	assert_true(e.term == credible + 5);
	assert_true(election_credits(&e, credible + 5 + TERM_JUMP_QUORUM));
	assert_false(election_credits(&e, credible + 6 + TERM_JUMP_QUORUM));
}

/* The floor is no lower bound of what others may use. */
CASE(elections_that_begin_have_terms_above_the_floor)
{
	e.setup.floor = 500;
	assert_true(election_saw(&e, 3));
	assert_true(e.term == 3);
	start(BEGIN);
	assert_true(e.term == 501);
	start(BEGIN + SEC);
	assert_true(e.term == 502);
	e.setup.floor = 502;
	start(BEGIN + 2 * SEC);
	assert_true(e.term == 503);
	e.setup.floor = 0;
	start(BEGIN + 3 * SEC);
	assert_true(e.term == 504);
}

/* Else it would never hear a node that took several false jumps. */
CASE(term_beyond_is_met_in_steps)
{
	const uint64_t old = 5 * TERM_JUMP_MAX, far = 9 * TERM_JUMP_MAX;

	assert_true(election_saw(&e, old));
	for (uint64_t term = old + TERM_JUMP_MAX; term < far;
	     term += TERM_JUMP_MAX) {
		assert_false(election_saw(&e, far + 1));
		assert_true(e.term == term);
	}
	assert_false(election_saw(&e, far + 1));
	assert_true(election_saw(&e, far + 1));
	assert_true(e.term == far + 1);
}

/* A nomination does not end the election, but it ends the row of restarts. */
CASE(nominee_has_as_long_as_the_first_instance)
{
	const struct message m = {
		.term = 4, .kind = DECISION, .rank = { .id = 3 }
	};
	struct rank winner;
	nsec_t now = BEGIN;

	e.setup.is_nominating = true;
	start(now);
	for (unsigned i = 0; i < 3; i++) {
		now = election_deadline(&e);
		assert_true(election_tick(&e, now, &self));
		take_all();
	}
	assert_true(election_deadline(&e) - now > 4 * BOUND);
	assert_int_equal(
	    election_receive(&e, now, &self, 1, &m), RECEIPT_TAKEN);
	assert_true(election_decision(&e, &winner));
	assert_true(e.is_open);
	assert_in_range(
	    election_deadline(&e) - now, BOUND * 3 / 4, BOUND * 5 / 4);
	assert_int_equal(e.restarts, 0);
}

/* Another node, which knew of the death before us, began the election. Our
 * instance has the dead node in its view, and would wait for it. */
CASE(instance_does_not_wait_for_the_node_it_is_about)
{
	start(BEGIN);
	links[reason.node - 1].session = 0;
	election_node_lost(&e, BEGIN + MSEC, reason.node);
	assert_int_equal(election_deadline(&e), BEGIN + MSEC);
	assert_true(election_tick(&e, BEGIN + MSEC, &self));
	assert_int_equal(e.run_term, 2);
	assert_int_equal(take_all(), 1 << 0 | 1 << 1 | 1 << 2);
}

/* Many of the others may be lost at the same time. */
CASE(others_that_are_lost_make_one_restart)
{
	start(BEGIN);
	links[0].session = links[1].session = 0;
	election_node_lost(&e, BEGIN + MSEC, 1);
	election_node_lost(&e, BEGIN + 2 * MSEC, 2);
	assert_int_equal(election_deadline(&e), BEGIN + MSEC + SETTLE);
	assert_true(election_tick(&e, election_deadline(&e), &self));
	assert_int_equal(take_all(), 1 << 2 | 1 << 3);
}

/* The nominee of an instance may be about to lead. */
CASE(decided_instance_does_not_begin_again_at_once)
{
	struct message m = { .term = 1, .kind = DECISION, .rank.id = 3 };

	e.setup.is_nominating = true;
	start(BEGIN);
	assert_int_equal(
	    election_receive(&e, BEGIN, &self, 2, &m), RECEIPT_TAKEN);
	links[1].rank.is_eligible = false;
	election_rank_changed(&e, BEGIN, 1);
	assert_true(e.restart_at == NSEC_NEVER);
	links[reason.node - 1].session = 0;
	election_node_lost(&e, BEGIN + MSEC, reason.node);
	assert_int_equal(election_deadline(&e), BEGIN + MSEC + SETTLE);
	election_settle(&e);
	election_node_lost(&e, BEGIN + MSEC, reason.node);
	assert_true(election_deadline(&e) == NSEC_NEVER);
}

/* A node that takes a peer for eligible, and one that does not, would each wait
 * for the other. */
CASE(changed_candidate_is_seen_in_a_new_instance)
{
	start(BEGIN);
	links[1].rank.is_eligible = false;
	election_rank_changed(&e, BEGIN, 1);
	assert_true(election_tick(&e, BEGIN + SETTLE, &self));
	assert_int_equal(e.run_term, 2);
	take_all();
	links[2].rank.is_contender = true;
	election_rank_changed(&e, BEGIN + SETTLE, 2);
	assert_true(e.restart_at == BEGIN + 2 * SETTLE);
	links[2].rank.is_contender = false;
	links[1].rank.is_eligible = true;
	election_rank_changed(&e, BEGIN + SETTLE, 1);
	links[1].rank.is_eligible = false;
	assert_false(election_tick(&e, BEGIN + 2 * SETTLE, &self));
	assert_true(e.restart_at == NSEC_NEVER);
}
