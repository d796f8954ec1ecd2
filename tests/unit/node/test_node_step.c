/* SPDX-License-Identifier: ISC */
/*
 * Whether the next settings may follow those in effect (PROTOCOL.md, Changes of
 * voters): every answer of node_step(), with node 2 as the leader. Member 1 is
 * there, and node 3 is not.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#include <string.h>

#define CALLS    (3 * SEC) /* for so long a HELLO of no peer counts */
#define NEXT_MAX 6
#define CALLERS  8 /* so many nodes that are no peers are remembered */

static struct stage s;

static const struct config_id first = { .config_version = 3,
	.digest = "first" };

/* The settings that are to be next. */
static struct peer_setup peers[NEXT_MAX];
static struct node_setup next;

static void
set_next(unsigned count)
{
	next = s.setups[0];
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
	quorum_lead_by(&s, &first);
	set_next(2);
	return 0;
}

/* The leader puts its configuration into effect anew, with this config term. */
static void
config_term(uint64_t with)
{
	s.setups[0].config_id.config_term = with;
	memcpy(s.setups[0].config_id.digest, "stamped", 8);
	stage_change(&s, 0);
}

/* The same, and the member has it too. */
static int
enter_settled(void **state)
{
	enter(state);
	config_term(stage_status(&s, 0).term);
	quorum_move_member(&s, &s.setups[0].config_id);
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	set_next(2);
	return 0;
}

static void
expect_config_term(enum change_step step, uint64_t config_term_)
{
	uint64_t given = 77;

	assert_int_equal(node_step(s.nodes[0], s.now, &next, &given), step);
	assert_true(given == config_term_);
}

/* A node that is no peer says HELLO for a lease. */
static void
call_for_a_lease(node_id id)
{
	quorum_hello(&s, id);
	stage_run(&s, QUORUM_LEASE / 2);
	quorum_hello(&s, id);
	stage_run(&s, QUORUM_LEASE / 2);
}

static void
expect(enum change_step step)
{
	uint64_t given;

	assert_int_equal(node_step(s.nodes[0], s.now, &next, &given), step);
}

#define CASE(name, enter) STAGE_CASE(name, enter, &s)

CASE(leader_first_stamps_the_configuration_in_effect, enter)
{
	uint64_t term = stage_status(&s, 0).term;

	assert_true(node_wants_stamp(s.nodes[0], s.now));
	expect_config_term(STEP_STAMP, term);
	config_term(term);
	assert_false(node_wants_stamp(s.nodes[0], s.now));
	expect_config_term(STEP_UNSETTLED, term);
	/* The member grants, but by the configuration before. */
	stage_run(&s, SEC);
	expect_config_term(STEP_UNSETTLED, term);
	quorum_move_member(&s, &s.setups[0].config_id);
	stage_run(&s, SEC);
	expect_config_term(STEP_READY, term);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

/* All others must fetch what it stamps, and short reigns would never let them.
 */
CASE(leader_stamps_nothing_before_it_has_led_for_a_lease, NULL)
{
	quorum_set(&s);
	quorum_exchange(&s, &first);
	s.is_granting = true;
	quorum_begin(&s, 0);
	for (int i = 0; i < 100 && stage_status(&s, 0).state != STATE_LEADER;
	     i++)
		stage_run(&s, STAGE_BEAT);
	set_next(2);
	assert_false(node_wants_stamp(s.nodes[0], s.now));
	expect_config_term(STEP_UNSETTLED, stage_status(&s, 0).term);
	stage_run(&s, QUORUM_LEASE - STAGE_BEAT);
	assert_false(node_wants_stamp(s.nodes[0], s.now));
	stage_run(&s, STAGE_BEAT);
	assert_true(node_wants_stamp(s.nodes[0], s.now));
	expect_config_term(STEP_STAMP, stage_status(&s, 0).term);
}

/* The leader before has stamped it. */
CASE(leader_stamps_anew_what_another_has_stamped, enter)
{
	uint64_t term = stage_status(&s, 0).term;

	config_term(term - 1);
	assert_false(
	    node_wants_stamp(s.nodes[0], s.now)); /* not without a next one */
	quorum_move_member(&s, &s.setups[0].config_id);
	stage_run(&s, SEC);
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
	/* Nodes 1 and 3 vote as before. */
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
	s.setups[0] = next;
	stage_change(&s, 0);
	quorum_move_member(&s, &s.setups[0].config_id);
	stage_run(&s, SEC);
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
		quorum_hello(&s, id);
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
	s.setups[0] = next;
	stage_change(&s, 0);
	quorum_move_member(&s, &s.setups[0].config_id);
	stage_run(&s, SEC);
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
	quorum_set(&s);
	quorum_exchange(&s, &first);
	s.configured[0][0].role = s.configured[0][1].role = ROLE_OBSERVER;
	quorum_begin(&s, 5 * SEC);
	config_term(stage_status(&s, 0).term);
	stage_run(&s, SEC);
	set_next(3); /* node 4 votes, too */
	peers[0].role = peers[1].role = ROLE_OBSERVER;
	return 0;
}

/* Nobody knows whether it can vote. */
CASE(joiner_does_not_count, enter_settled)
{
	set_next(3); /* 1, 2, 3 and 4: three of them */
	expect_config_term(STEP_UNHEARD, stage_status(&s, 0).term);
	call_for_a_lease(4);
	expect(STEP_UNHEARD);
}

CASE(component_awaits_nobody, enter_settled)
{
	set_next(3); /* node 4 comes */
	s.setups[0].guarantee = GUARANTEE_COMPONENT;
	stage_strike(&s);
	stage_start(&s);
	assert_int_equal(node_awaits(s.nodes[0], s.now, &next), NODE_NONE);
}

/* The operator decides before anything is proposed. */
CASE(voter_that_is_to_come_is_awaited_until_it_says_hello, enter_settled)
{
	assert_int_equal(node_awaits(s.nodes[0], s.now, &next), NODE_NONE);
	set_next(3); /* node 4 comes */
	assert_int_equal(node_awaits(s.nodes[0], s.now, &next), 4);
	quorum_hello(&s, 5);
	assert_int_equal(node_awaits(s.nodes[0], s.now, &next), 4);
	peers[2].role = ROLE_OBSERVER;
	assert_int_equal(node_awaits(s.nodes[0], s.now, &next), NODE_NONE);
	peers[2].role = ROLE_VOTER;
	quorum_hello(&s, 4);
	assert_int_equal(node_awaits(s.nodes[0], s.now, &next), NODE_NONE);
	stage_run(&s, CALLS - 1);
	assert_int_equal(node_awaits(s.nodes[0], s.now, &next), NODE_NONE);
	stage_run(&s, 1);
	assert_int_equal(node_awaits(s.nodes[0], s.now, &next), 4);
}

/* Else a cluster of one voter could not grow. */
CASE(second_voter_counts_once_it_has_called_for_a_lease, enter_alone)
{
	expect_config_term(STEP_UNHEARD, stage_status(&s, 0).term);
	call_for_a_lease(5);
	expect(STEP_UNHEARD);
	quorum_hello(&s, 4);
	stage_run(&s, QUORUM_LEASE - 1);
	expect(STEP_UNHEARD);
	quorum_hello(&s, 4);
	stage_run(&s, 1);
	expect(STEP_READY);
	stage_run(&s, CALLS - 2);
	expect(STEP_READY);
	stage_run(&s, 1);
	expect(STEP_UNHEARD);
}

/* The node forgets the first of more callers than it remembers. */
CASE(last_eight_callers_are_heard, enter_alone)
{
	call_for_a_lease(4);
	for (node_id id = 10; id < 10 + CALLERS - 1; id++)
		quorum_hello(&s, id);
	expect(STEP_READY);
	quorum_hello(&s, 9);
	expect(STEP_UNHEARD);
}

/* The caller could not say that it is a node of the cluster, or join it. */
CASE(caller_without_our_key_or_documents_is_not_heard, enter_alone)
{
	static const uint8_t other_key[KEY_BYTES] = { 'x' };
	uint8_t datagram[PACKET_MAX];
	struct member m;

	for (unsigned i = 0; i < 3; i++) {
		member_init(
		    &m, 4, 2, i == 0 ? other_key : s.setups[0].keys.first);
		m.is_quorum = true;
		m.exchanges = i != 1;
		for (unsigned k = 0; k < 2; k++) {
			node_receive(s.nodes[0], s.now, 0, PEER_NONE, datagram,
			    member_hello(&m, datagram));
			stage_run(&s, QUORUM_LEASE / 2);
		}
		expect(i == 2 ? STEP_READY : STEP_UNHEARD);
	}
}

CASE(member_without_a_vote_is_not_heard, enter_settled)
{
	s.members[0].is_voting = false;
	stage_beat(&s, 0, NULL, 0, 0);
	expect(STEP_UNHEARD);
}

CASE(leader_that_is_to_lead_no_more_resigns, enter_settled)
{
	next.role = ROLE_VOTER;
	expect(STEP_RESIGN);
	/* The leader gives up nothing for a step that must wait. */
	next.role = ROLE_OBSERVER;
	expect(STEP_UNHEARD);
	config_term(stage_status(&s, 0).term - 1);
	expect(STEP_STAMP);
}

CASE(leader_that_gives_up_takes_no_step, enter_settled)
{
	stage_resign(&s, 0, NODE_NONE);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	expect_config_term(STEP_NOT_OURS, 0);
	stage_stop(&s, 0);
	expect_config_term(STEP_NOT_OURS, 0);
	assert_false(node_wants_stamp(s.nodes[0], s.now));
}

/* The leader's process was stopped, and no input has told it the time yet. */
CASE(leader_that_wakes_after_its_lease_takes_no_step, enter_settled)
{
	s.now = nsec_after(s.now, s.setups[0].timing.lease);
	expect_config_term(STEP_NOT_OURS, 0);
}

CASE(leader_that_wakes_after_its_lease_stamps_nothing, enter)
{
	assert_true(node_wants_stamp(s.nodes[0], s.now));
	s.now = nsec_after(s.now, s.setups[0].timing.lease);
	assert_false(node_wants_stamp(s.nodes[0], s.now));
}

CASE(leader_that_hands_over_stamps_nothing, enter)
{
	assert_true(node_wants_stamp(s.nodes[0], s.now));
	stage_resign(&s, 0, NODE_NONE);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_false(node_wants_stamp(s.nodes[0], s.now));
	expect_config_term(STEP_NOT_OURS, 0);
}

/* What no leader would take, every node refuses. */
CASE(node_that_does_not_lead_takes_no_step, enter_settled)
{
	s.is_granting = false;
	stage_run(&s, 2 * QUORUM_LEASE);
	assert_int_not_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_false(node_wants_stamp(s.nodes[0], s.now));
	expect_config_term(STEP_NOT_OURS, 0);
	next.role = ROLE_OBSERVER;
	expect_config_term(STEP_NOT_OURS, 0);
	set_next(4);
	expect_config_term(STEP_TOO_FAR, 0);
}

CASE(node_without_documents_stamps_nothing, NULL)
{
	quorum_set(&s);
	s.is_granting = true;
	quorum_begin(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_false(node_wants_stamp(s.nodes[0], s.now));
}

/* There the first host that has a file puts it into effect. */
CASE(step_of_component_is_ready, NULL)
{
	quorum_set(&s);
	s.setups[0].guarantee = GUARANTEE_COMPONENT;
	s.setups[0].timing.lease = 0;
	quorum_exchange(&s, &first);
	quorum_begin(&s, 3 * SEC);
	set_next(5);
	next.role = ROLE_OBSERVER;
	expect_config_term(STEP_READY, 0);
	assert_false(node_wants_stamp(s.nodes[0], s.now));
}
