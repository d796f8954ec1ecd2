/* SPDX-License-Identifier: ISC */
/*
 * Terms, views, restarts and the bound, with an algorithm that does what its
 * messages say: START sends kind 0 to all; kind 2 answers kind 1 on the same
 * link; kind 3 is a decision.
 */
#include "tests/unit/group.h"

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
	struct election_setup setup = { .algorithm = &puppet,
		.links = links,
		.links_count = PEERS,
		.settle = SETTLE,
		.bound = BOUND,
		.exchange = EXCHANGE,
		.seed = 1 };

	(void)state;
	for (unsigned i = 0; i < PEERS; i++)
		links[i] = (struct link){ { .is_eligible = true, .id = i + 1 },
			.session = i + 1 };
	memory = malloc(election_size(&puppet, PEERS));
	memset(memory, 0xa5, election_size(&puppet, PEERS));
	election_init(&e, memory, &setup);
	puppet_seen.inits = 0;
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

static enum election_receipt
receive(nsec_t now, unsigned peer, struct message m)
{
	enum election_receipt receipt =
	    election_receive(&e, now, &self, peer, &m);

	election_check(&e);
	election_history_check(&e.history);
	return receipt;
}

/* Takes all messages; sets a bit for each peer that gets one. */
static unsigned
take_all(struct message *last)
{
	unsigned peers = 0, peer;

	while (election_take(&e, &peer, last))
		peers |= 1U << peer;
	return peers;
}

static void
start(nsec_t now)
{
	struct message m;

	election_start(&e, now, &self, reason);
	take_all(&m);
	election_check(&e);
	election_history_check(&e.history);
}

#define CASE(name) TEST(name, enter, leave)

CASE(before_any_election_there_is_nothing)
{
	struct message m;
	struct rank winner;
	unsigned peer;

	assert_true(election_deadline(&e) == NSEC_NEVER);
	assert_false(election_take(&e, &peer, &m));
	assert_false(election_decision(&e, &winner));
	assert_false(election_tick(&e, BEGIN, &self));
	election_links_changed(&e, BEGIN);
	assert_true(election_deadline(&e) == NSEC_NEVER);
	assert_int_equal(puppet_seen.inits, 0);
}

CASE(starter_goes_above_every_term_seen)
{
	start(BEGIN);
	assert_int_equal(e.term, 1);
	assert_int_equal(e.run_term, 1);
	assert_true(election_saw(&e, 7));
	assert_int_equal(e.run_term, 1);
	start(BEGIN);
	assert_int_equal(e.run_term, 8);
	assert_true(election_saw(&e, 3));
	assert_int_equal(e.term, 8);
}

/*
 * A cluster may be old: a node that starts in it, and has met only nodes as new
 * as itself, believes its term, however high.
 */
CASE(young_node_takes_any_term_but_an_absurd_one)
{
	start(BEGIN);
	assert_true(election_saw(&e, 2));
	assert_false(election_saw(&e, TERM_MAX / 2 + 1));
	assert_true(election_saw(&e, TERM_MAX / 2));
	assert_true(e.term == TERM_MAX / 2);
	assert_false(election_saw(&e, TERM_MAX));
}

CASE(term_may_jump_so_far_and_no_farther)
{
	const uint64_t old = 5 * TERM_JUMP_MAX;

	start(BEGIN);
	assert_true(election_saw(&e, old));
	assert_false(election_saw(&e, UINT64_MAX));
	assert_int_equal(
	    receive(BEGIN, 0, (struct message){ .term = UINT64_MAX }),
	    RECEIPT_ABSURD);
	assert_true(e.term == old);
	assert_true(election_saw(&e, old + TERM_JUMP_MAX));
	assert_true(e.term == old + TERM_JUMP_MAX);
}

CASE(messages_bear_term_and_reason_and_go_to_their_peers)
{
	struct message m;

	election_start(&e, BEGIN, &self, reason);
	assert_int_equal(take_all(&m), 0xf);
	assert_int_equal(m.term, 1);
	assert_int_equal(m.reason.kind, REASON_DIED);
	assert_int_equal(m.reason.node, 4);
	assert_int_equal(e.past->sent[ASK], 4);
	assert_int_equal(
	    receive(BEGIN, 2, (struct message){ .term = 1, .kind = QUESTION }),
	    RECEIPT_TAKEN);
	assert_int_equal(take_all(&m), 1 << 2);
	assert_int_equal(m.kind, ANSWER);
	assert_int_equal(e.past->sent[ANSWER], 1);
}

CASE(view_holds_the_links_that_are_up)
{
	struct message m;

	links[0].session = 0;
	links[2].session = 0;
	election_start(&e, BEGIN, &self, reason);
	assert_int_equal(puppet_seen.view.links_count, 2);
	assert_true(rank_equal(&puppet_seen.view.self, &self));
	assert_int_equal(puppet_seen.links[0].id, 2);
	assert_int_equal(puppet_seen.links[1].id, 4);
	assert_int_equal(take_all(&m), 1 << 1 | 1 << 3);
	receive(BEGIN, 3, (struct message){ .term = 1, .kind = QUESTION });
	assert_int_equal(take_all(&m), 1 << 3);
}

CASE(older_terms_and_term_zero_are_dropped)
{
	assert_int_equal(
	    receive(BEGIN, 0, (struct message){ .term = 0 }), RECEIPT_OLD);
	start(BEGIN);
	start(BEGIN);
	assert_int_equal(
	    receive(BEGIN, 0, (struct message){ .term = 1 }), RECEIPT_OLD);
	assert_true(election_saw(&e, 5));
	assert_int_equal(
	    receive(BEGIN, 0, (struct message){ .term = 4 }), RECEIPT_OLD);
	assert_int_equal(e.run_term, 2);
}

CASE(higher_term_is_joined_for_its_own_reason)
{
	struct message m = {
		.term = 5, .kind = QUESTION, .reason = { REASON_BYE, 2 }
	};

	start(BEGIN);
	assert_int_equal(receive(BEGIN + SEC, 1, m), RECEIPT_TAKEN);
	assert_int_equal(e.run_term, 5);
	assert_true(e.is_open);
	assert_int_equal(e.past->began, BEGIN + SEC);
	assert_int_equal(puppet_seen.inits, 2);
	assert_int_equal(take_all(&m), 1 << 1);
	assert_int_equal(m.reason.kind, REASON_BYE);
	assert_int_equal(m.reason.node, 2);
	assert_int_equal(e.past->sent[ASK], 0);
	/* The same term goes on with the same instance. */
	assert_int_equal(receive(BEGIN + SEC, 1, m), RECEIPT_TAKEN);
	assert_int_equal(puppet_seen.inits, 2);
}

CASE(message_from_outside_the_view_is_dropped_and_noted)
{
	struct message m = { .term = 1, .kind = QUESTION };

	links[0].session = 0;
	start(BEGIN);
	links[0].session = 7;
	assert_int_equal(receive(BEGIN + SETTLE, 0, m), RECEIPT_OUTSIDE);
	assert_int_equal(take_all(&m), 0);
	assert_int_equal(e.restart_at, BEGIN + 2 * SETTLE);
}

/* A peer that is back in a new session has not got the question. */
CASE(replaced_session_is_outside_the_view)
{
	struct message m = { .term = 1, .kind = QUESTION };

	start(BEGIN);
	links[0].session = 7;
	assert_int_equal(receive(BEGIN, 0, m), RECEIPT_OUTSIDE);
	assert_int_equal(receive(BEGIN, 1, m), RECEIPT_TAKEN);
	take_all(&m);
}

/* The link is the same again when the restart is due, but a message is lost. */
CASE(message_of_a_link_that_was_gone_for_a_moment_restarts)
{
	struct message m = { .term = 1, .kind = QUESTION };

	start(BEGIN);
	links[0].session = 0;
	assert_int_equal(receive(BEGIN, 0, m), RECEIPT_OUTSIDE);
	links[0].session = 1;
	assert_true(election_tick(&e, BEGIN + SETTLE, &self));
	assert_int_equal(e.run_term, 2);
	take_all(&m);
}

CASE(changes_of_links_are_gathered_into_one_restart)
{
	struct message m;

	start(BEGIN);
	links[1].session = 0;
	election_links_changed(&e, BEGIN + 10 * MSEC);
	links[3].session = 0;
	election_links_changed(&e, BEGIN + 40 * MSEC);
	assert_int_equal(election_deadline(&e), BEGIN + 10 * MSEC + SETTLE);
	assert_false(election_tick(&e, BEGIN + 10 * MSEC + SETTLE - 1, &self));
	assert_true(election_tick(&e, BEGIN + 10 * MSEC + SETTLE, &self));
	assert_int_equal(e.run_term, 2);
	assert_int_equal(e.restarts, 1);
	assert_int_equal(e.reason.kind, REASON_DIED);
	assert_int_equal(take_all(&m), 1 << 0 | 1 << 2);
	election_check(&e);
	election_history_check(&e.history);
}

/* A newer election has already used the change, or it was undone. */
CASE(restart_for_a_change_the_instance_has_is_dropped)
{
	struct message m = { .term = 5, .kind = QUESTION };

	start(BEGIN);
	links[1].session = 0;
	election_links_changed(&e, BEGIN);
	assert_int_equal(receive(BEGIN, 0, m), RECEIPT_TAKEN);
	take_all(&m);
	assert_true(e.restart_at == NSEC_NEVER);
	links[1].session = 2;
	election_links_changed(&e, BEGIN);
	links[1].session = 0;
	assert_false(election_tick(&e, BEGIN + SETTLE, &self));
	assert_true(e.restart_at == NSEC_NEVER);
	assert_int_equal(e.run_term, 5);
	election_check(&e);
	election_history_check(&e.history);
}

CASE(bound_doubles_with_each_restart_in_a_row)
{
	struct message m;
	nsec_t now = BEGIN;

	start(now);
	for (unsigned i = 0; i < 9; i++) {
		nsec_t bound = BOUND << (i < 5 ? i : 5);
		nsec_t at = election_deadline(&e);

		assert_in_range(at - now, bound * 3 / 4, bound * 5 / 4);
		assert_false(election_tick(&e, at - 1, &self));
		assert_true(election_tick(&e, at, &self));
		take_all(&m);
		assert_int_equal(e.restarts, i + 1);
		assert_int_equal(e.run_term, i + 2);
		now = at;
	}
	election_settle(&e);
	start(now);
	assert_in_range(
	    election_deadline(&e) - now, BOUND * 3 / 4, BOUND * 5 / 4);
}

CASE(decision_ends_the_election_and_is_reported_once)
{
	struct message m = { .term = 1, .kind = DECISION, .rank = { .id = 3 } };
	struct rank winner;

	start(BEGIN);
	links[0].session = 9;
	election_links_changed(&e, BEGIN);
	assert_int_equal(receive(BEGIN, 1, m), RECEIPT_TAKEN);
	assert_true(election_decision(&e, &winner));
	assert_int_equal(winner.id, 3);
	assert_false(election_decision(&e, &winner));
	assert_false(e.is_open);
	assert_true(election_deadline(&e) == NSEC_NEVER);
	assert_false(election_tick(&e, NSEC_NEVER - 1, &self));
	/* The instance goes on serving others, and may learn of a better
	 * winner. */
	m.kind = QUESTION;
	assert_int_equal(receive(BEGIN, 1, m), RECEIPT_TAKEN);
	assert_int_equal(take_all(&m), 1 << 1);
	m = (struct message){ .term = 1, .kind = DECISION, .rank.id = 4 };
	receive(BEGIN, 1, m);
	assert_true(election_decision(&e, &winner));
	assert_int_equal(winner.id, 4);
}

/* Links that come and go after the decision begin nothing. */
CASE(settled_election_does_not_restart)
{
	start(BEGIN);
	election_settle(&e);
	links[0].session = 9;
	election_links_changed(&e, BEGIN);
	assert_int_equal(
	    receive(BEGIN, 0, (struct message){ .term = 1 }), RECEIPT_OUTSIDE);
	assert_true(election_deadline(&e) == NSEC_NEVER);
}

CASE(every_step_is_checked)
{
	unsigned before;

	start(BEGIN);
	before = puppet_seen.checks;
	receive(BEGIN, 0, (struct message){ .term = 1, .kind = ANSWER });
	assert_true(puppet_seen.checks > before);
}

/* The instance's timer counts, and only as long as the instance lives. */
CASE(timer_runs_out_once_and_dies_with_its_instance)
{
	struct message m = { .term = 1, .kind = WAKE_ME };

	start(BEGIN);
	receive(BEGIN, 1, m);
	assert_true(election_deadline(&e) == BEGIN + EXCHANGE);
	assert_false(election_tick(&e, BEGIN + EXCHANGE - 1, &self));
	receive(BEGIN + 1, 1, m);
	assert_false(election_tick(&e, BEGIN + EXCHANGE, &self));
	assert_true(election_tick(&e, BEGIN + EXCHANGE + 1, &self));
	assert_int_equal(e.run_term, 1);
	assert_int_equal(take_all(&m), 1 << 0);
	assert_false(election_tick(&e, BEGIN + EXCHANGE + 1, &self));
	receive(BEGIN, 1, (struct message){ .term = 1, .kind = WAKE_ME });
	start(BEGIN);
	election_settle(&e);
	assert_true(election_deadline(&e) == NSEC_NEVER);
}

/* In a ring one link alone counts for nothing; messages carry their link. */
CASE(ring_has_both_its_links_or_none)
{
	struct election_setup setup = e.setup;
	unsigned link;
	struct message m;

	setup.links_count = RING_LINKS;
	setup.is_ring = true;
	links[RING_LEFT].session = 0;
	election_init(&e, memory, &setup);
	start(BEGIN);
	assert_int_equal(puppet_seen.view.links_count, 0);
	links[RING_LEFT].session = 7;
	election_links_changed(&e, BEGIN);
	assert_true(election_tick(&e, BEGIN + SETTLE, &self));
	assert_int_equal(puppet_seen.view.links_count, RING_LINKS);
	for (unsigned i = 0; i < RING_LINKS; i++) {
		assert_true(election_take(&e, &link, &m));
		assert_int_equal(link, i);
		assert_int_equal(m.link, i);
	}
	links[RING_RIGHT].session = 0;
	election_links_changed(&e, BEGIN + SETTLE);
	assert_int_equal(
	    receive(BEGIN, RING_LEFT, (struct message){ .term = 2 }),
	    RECEIPT_TAKEN);
	assert_true(election_tick(&e, BEGIN + 2 * SETTLE, &self));
	assert_int_equal(puppet_seen.view.links_count, 0);
}

CASE(ring_ends_what_goes_round_for_ever)
{
	struct message m = { .term = 1, .distance = NODES_MAX };

	e.setup.is_ring = true;
	assert_int_equal(receive(BEGIN, RING_LEFT, m), RECEIPT_TAKEN);
	m = (struct message){ .term = 9, .distance = NODES_MAX + 1 };
	assert_int_equal(receive(BEGIN, RING_LEFT, m), RECEIPT_ABSURD);
	assert_int_equal(e.term, 1);
}

CASE(node_without_peers_elects_too)
{
	struct election_setup setup = e.setup;
	struct message m;

	free(memory);
	memory = malloc(election_size(&puppet, 0));
	setup.links_count = 0;
	election_init(&e, memory, &setup);
	election_start(&e, BEGIN, &self, reason);
	assert_int_equal(take_all(&m), 0);
	assert_int_equal(puppet_seen.view.links_count, 0);
}
