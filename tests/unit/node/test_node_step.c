/* SPDX-License-Identifier: ISC */
/*
 * Whether the next settings may follow those in effect (PROTOCOL.md, Changes of
 * voters): every answer of node_step(), with node 2 as the leader. Member 1 is
 * there, and node 3 is not.
 */
#include "tests/lib/ballot.h"
#include "tests/unit/group.h"

#include <string.h>

#define CALLS    (3 * SEC) /* for so long a HELLO of no peer counts */
#define NEXT_MAX 6
#define CALLERS  8 /* so many nodes that are no peers are remembered */

static struct ballot b;

static const struct config_id first = { .config_version = 3,
	.digest = "first" };

/* The settings that are to be next. */
static struct peer_setup peers[NEXT_MAX];
static struct node_setup next;

static void
set_next(unsigned count)
{
	next = b.setup;
	next.config_id.config_version++;
	next.peers = peers;
	next.peers_count = count;
	for (unsigned i = 0; i < NEXT_MAX; i++)
		peers[i] = (struct peer_setup){ .id = i == 0 ? 1 : i + 2,
			.role = ROLE_CANDIDATE };
}

static int
enter(void **state)
{
	(void)state;
	ballot_lead_by(&b, &first);
	set_next(2);
	return 0;
}

/* The leader puts its configuration into effect anew, with this config term. */
static void
config_term(uint64_t with)
{
	b.setup.config_id.config_term = with;
	memcpy(b.setup.config_id.digest, "stamped", 8);
	ballot_change(&b);
}

/* The same, and the member has it too. */
static int
enter_settled(void **state)
{
	enter(state);
	config_term(ballot_status(&b).term);
	ballot_move_member(&b, &b.setup.config_id);
	ballot_run(&b, SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	set_next(2);
	return 0;
}

static void
expect_config_term(enum change_step step, uint64_t config_term_)
{
	uint64_t given = 77;

	assert_int_equal(node_step(b.node, b.now, &next, &given), step);
	assert_true(given == config_term_);
}

/* A node that is no peer says HELLO for a lease. */
static void
call_for_a_lease(node_id id)
{
	ballot_hello(&b, id);
	ballot_run(&b, BALLOT_LEASE / 2);
	ballot_hello(&b, id);
	ballot_run(&b, BALLOT_LEASE / 2);
}

static void
expect(enum change_step step)
{
	uint64_t given;

	assert_int_equal(node_step(b.node, b.now, &next, &given), step);
}

#define CASE(name, enter) BALLOT_CASE(name, enter, &b)

CASE(leader_first_stamps_the_configuration_in_effect, enter)
{
	uint64_t term = ballot_status(&b).term;

	assert_true(node_wants_stamp(b.node, b.now));
	expect_config_term(STEP_STAMP, term);
	config_term(term);
	assert_false(node_wants_stamp(b.node, b.now));
	expect_config_term(STEP_UNSETTLED, term);
	/* The member grants, but by the configuration before. */
	ballot_run(&b, SEC);
	expect_config_term(STEP_UNSETTLED, term);
	ballot_move_member(&b, &b.setup.config_id);
	ballot_run(&b, SEC);
	expect_config_term(STEP_READY, term);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
}

/* All others must fetch what it stamps, and short reigns would never let them.
 */
CASE(leader_stamps_nothing_before_it_has_led_for_a_lease, NULL)
{
	ballot_set(&b);
	ballot_exchange(&b, &first);
	b.is_granting = true;
	ballot_begin(&b, 0);
	for (int i = 0; i < 100 && ballot_status(&b).state != STATE_LEADER; i++)
		ballot_run(&b, BALLOT_BEAT);
	set_next(2);
	assert_false(node_wants_stamp(b.node, b.now));
	expect_config_term(STEP_UNSETTLED, ballot_status(&b).term);
	ballot_run(&b, BALLOT_LEASE - BALLOT_BEAT);
	assert_false(node_wants_stamp(b.node, b.now));
	ballot_run(&b, BALLOT_BEAT);
	assert_true(node_wants_stamp(b.node, b.now));
	expect_config_term(STEP_STAMP, ballot_status(&b).term);
}

/* The leader before has stamped it. */
CASE(leader_stamps_anew_what_another_has_stamped, enter)
{
	uint64_t term = ballot_status(&b).term;

	config_term(term - 1);
	assert_false(
	    node_wants_stamp(b.node, b.now)); /* not without a next one */
	ballot_move_member(&b, &b.setup.config_id);
	ballot_run(&b, SEC);
	expect_config_term(STEP_STAMP, term);
}

CASE(one_voter_may_come_or_go_or_change, enter_settled)
{
	expect(STEP_READY); /* none */
	set_next(1);
	expect(STEP_READY);
	set_next(2);
	peers[1].role = ROLE_OBSERVER;
	expect(STEP_READY);
	/* It votes as before. */
	peers[1].role = ROLE_VOTER;
	peers[0].role = ROLE_VOTER;
	expect(STEP_READY);
	peers[0].role = ROLE_OBSERVER;
	expect(STEP_UNHEARD); /* of two voters node 3 is not there */
	set_next(3);
	expect(STEP_UNHEARD); /* of four voters two are there */
	peers[2].role = ROLE_VOTER;
	expect(STEP_UNHEARD);
}

CASE(observers_may_come_and_go_in_any_number, enter_settled)
{
	set_next(NEXT_MAX);
	for (unsigned i = 2; i < NEXT_MAX; i++)
		peers[i].role = ROLE_OBSERVER;
	expect(STEP_READY);
	b.setup = next;
	ballot_change(&b);
	ballot_move_member(&b, &b.setup.config_id);
	ballot_run(&b, SEC);
	set_next(2);
	expect(STEP_READY);
}

/* Also if each of the two majorities is heard. */
CASE(more_than_one_voter_is_too_many, enter_settled)
{
	static const struct {
		unsigned count;
		enum role of_member, of_third;
		node_id third;
	} rows[] = {
		{ 4, ROLE_CANDIDATE, ROLE_CANDIDATE, 3 },
		{ 0, ROLE_CANDIDATE, ROLE_CANDIDATE, 3 },
		{ 2, ROLE_CANDIDATE, ROLE_CANDIDATE, 9 }, /* in its place */
		{ 2, ROLE_OBSERVER, ROLE_OBSERVER, 3 },
		{ 3, ROLE_CANDIDATE, ROLE_OBSERVER, 3 },
	};

	for (unsigned id = 4; id <= 9; id++)
		ballot_hello(&b, id);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		set_next(rows[i].count);
		peers[0].role = rows[i].of_member;
		peers[1].role = rows[i].of_third;
		peers[1].id = rows[i].third;
		expect_config_term(STEP_TOO_FAR, 0);
	}
	/* The leader itself counts, too. */
	set_next(3);
	next.role = ROLE_OBSERVER;
	expect_config_term(STEP_TOO_FAR, 0);
}

CASE(observer_never_votes_at_once, enter_settled)
{
	peers[1].role = ROLE_OBSERVER;
	b.setup = next;
	ballot_change(&b);
	ballot_move_member(&b, &b.setup.config_id);
	ballot_run(&b, SEC);
	set_next(2);
	peers[1].role = ROLE_OBSERVER;
	expect(STEP_READY);
	peers[1].role = ROLE_VOTER;
	expect_config_term(STEP_PROMOTES, 0);
	peers[1].role = ROLE_CANDIDATE;
	expect_config_term(STEP_PROMOTES, 0);
	/* Too far besides. */
	next.peers_count = 3;
	expect_config_term(STEP_TOO_FAR, 0);
}

/* The leader is the only voter, and settled; nodes 1 and 3 observe. */
static int
enter_alone(void **state)
{
	(void)state;
	ballot_set(&b);
	ballot_exchange(&b, &first);
	b.peers[0].role = b.peers[1].role = ROLE_OBSERVER;
	ballot_begin(&b, 5 * SEC);
	config_term(ballot_status(&b).term);
	ballot_run(&b, SEC);
	set_next(3); /* node 4 votes, too */
	peers[0].role = peers[1].role = ROLE_OBSERVER;
	return 0;
}

/* Nobody knows whether it can vote. */
CASE(joiner_does_not_count, enter_settled)
{
	set_next(3); /* 1, 2, 3 and 4: three of them */
	expect_config_term(STEP_UNHEARD, ballot_status(&b).term);
	call_for_a_lease(4);
	expect(STEP_UNHEARD);
}

/* Its operator decides before anything is proposed. */
CASE(voter_that_is_to_come_is_awaited_until_it_says_hello, enter_settled)
{
	assert_int_equal(node_awaits(b.node, b.now, &next), NODE_NONE);
	set_next(3); /* node 4 comes */
	assert_int_equal(node_awaits(b.node, b.now, &next), 4);
	ballot_hello(&b, 5);
	assert_int_equal(node_awaits(b.node, b.now, &next), 4);
	peers[2].role = ROLE_OBSERVER;
	assert_int_equal(node_awaits(b.node, b.now, &next), NODE_NONE);
	peers[2].role = ROLE_VOTER;
	ballot_hello(&b, 4);
	assert_int_equal(node_awaits(b.node, b.now, &next), NODE_NONE);
	ballot_run(&b, CALLS - 1);
	assert_int_equal(node_awaits(b.node, b.now, &next), NODE_NONE);
	ballot_run(&b, 1);
	assert_int_equal(node_awaits(b.node, b.now, &next), 4);
}

/* Else a cluster of one voter could not grow. */
CASE(second_voter_counts_once_it_has_called_for_a_lease, enter_alone)
{
	expect_config_term(STEP_UNHEARD, ballot_status(&b).term);
	call_for_a_lease(5);
	expect(STEP_UNHEARD);
	ballot_hello(&b, 4);
	ballot_run(&b, BALLOT_LEASE - 1);
	expect(STEP_UNHEARD);
	ballot_hello(&b, 4);
	ballot_run(&b, 1);
	expect(STEP_READY);
	ballot_run(&b, CALLS - 2);
	expect(STEP_READY);
	ballot_run(&b, 1);
	expect(STEP_UNHEARD);
}

/* It forgets the first of more callers than it remembers. */
CASE(last_eight_callers_are_heard, enter_alone)
{
	call_for_a_lease(4);
	for (node_id id = 10; id < 10 + CALLERS - 1; id++)
		ballot_hello(&b, id);
	expect(STEP_READY);
	ballot_hello(&b, 9);
	expect(STEP_UNHEARD);
}

/* It could not say that it is a node of the cluster, or join it. */
CASE(caller_without_our_key_or_documents_is_not_heard, enter_alone)
{
	static const uint8_t other_key[KEY_BYTES] = { 'x' };
	uint8_t datagram[PACKET_MAX];
	struct member m;

	for (unsigned i = 0; i < 3; i++) {
		member_init(&m, 4, 2, i == 0 ? other_key : b.setup.key);
		m.is_quorum = true;
		m.exchanges = i != 1;
		for (unsigned k = 0; k < 2; k++) {
			node_receive(b.node, b.now, 0, PEER_NONE, datagram,
			    member_hello(&m, datagram));
			ballot_run(&b, BALLOT_LEASE / 2);
		}
		expect(i == 2 ? STEP_READY : STEP_UNHEARD);
	}
}

CASE(member_without_a_vote_is_not_heard, enter_settled)
{
	b.is_voting = false;
	ballot_say(&b, NULL, 0);
	expect(STEP_UNHEARD);
}

CASE(leader_that_is_to_lead_no_more_resigns, enter_settled)
{
	next.role = ROLE_VOTER;
	expect(STEP_RESIGN);
	/* It gives up nothing for a step that must wait. */
	next.role = ROLE_OBSERVER;
	expect(STEP_UNHEARD);
	config_term(ballot_status(&b).term - 1);
	expect(STEP_STAMP);
}

CASE(leader_that_gives_up_takes_no_step, enter_settled)
{
	ballot_resign(&b, NODE_NONE);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	expect_config_term(STEP_NOT_OURS, 0);
	ballot_stop(&b);
	expect_config_term(STEP_NOT_OURS, 0);
	assert_false(node_wants_stamp(b.node, b.now));
}

/* Its process was stopped, and no input has told it the time yet. */
CASE(leader_that_wakes_after_its_lease_takes_no_step, enter_settled)
{
	b.now = nsec_after(b.now, b.setup.timing.lease);
	expect_config_term(STEP_NOT_OURS, 0);
}

CASE(leader_that_hands_over_wants_no_config_term, enter)
{
	assert_true(node_wants_stamp(b.node, b.now));
	ballot_resign(&b, NODE_NONE);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_false(node_wants_stamp(b.node, b.now));
	expect_config_term(STEP_NOT_OURS, 0);
}

/* What no leader would take, every node refuses. */
CASE(node_that_does_not_lead_takes_no_step, enter_settled)
{
	b.is_granting = false;
	ballot_run(&b, 2 * BALLOT_LEASE);
	assert_int_not_equal(ballot_status(&b).state, STATE_LEADER);
	assert_false(node_wants_stamp(b.node, b.now));
	expect_config_term(STEP_NOT_OURS, 0);
	next.role = ROLE_OBSERVER;
	expect_config_term(STEP_NOT_OURS, 0);
	set_next(4);
	expect_config_term(STEP_TOO_FAR, 0);
}

CASE(node_without_documents_wants_no_config_term, NULL)
{
	ballot_set(&b);
	b.is_granting = true;
	ballot_begin(&b, 5 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_false(node_wants_stamp(b.node, b.now));
}

/* There the first host that has a file puts it into effect. */
CASE(step_of_component_is_ready, NULL)
{
	ballot_set(&b);
	b.setup.guarantee = GUARANTEE_COMPONENT;
	b.setup.timing.lease = 0;
	ballot_exchange(&b, &first);
	ballot_begin(&b, 3 * SEC);
	set_next(5);
	next.role = ROLE_OBSERVER;
	expect_config_term(STEP_READY, 0);
	assert_false(node_wants_stamp(b.node, b.now));
}
