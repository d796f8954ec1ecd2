/* SPDX-License-Identifier: ISC */
/*
 * A node as a voter: which requests it grants, what must be durable before it
 * says so, and words of a member that have no effect.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#include <string.h>

static struct stage s;
static struct said *const said = &s.members[0].said;

/* The member has been up for so long that old leases are over. It grants
 * nothing, so nobody leads. */
static void
begin(void)
{
	quorum_begin(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	s.is_slow = true;
	said->votes = 0;
}

static int
enter(void **state)
{
	(void)state;
	quorum_set(&s);
	/* The node is not eligible: it votes for the member. */
	s.setups[0].role = ROLE_VOTER;
	begin();
	return 0;
}

static struct vote_request
request_of(uint64_t term)
{
	return (struct vote_request){
		.term = term, .sent = 12345, .lease = QUORUM_LEASE
	};
}

#define ALONE(name) STAGE_CASE(name, NULL, &s)
#define CASE(name)  STAGE_CASE(name, enter, &s)

CASE(grant_leaves_once_the_promise_is_durable)
{
	struct vote_request c = request_of(50);

	quorum_request(&s, &c);
	assert_true(s.is_persisting[0]);
	assert_int_equal(s.durable.promise.term, 50);
	assert_int_equal(s.durable.promise.owner.id, 1);
	assert_int_equal(
	    s.durable.promise.owner.incarnation, s.members[0].incarnation);
	assert_int_equal(said->votes, 0);
	/* This holds however long the disk takes. */
	stage_run(&s, SEC);
	assert_int_equal(said->votes, 0);
	stage_persist(&s, 0, true);
	quorum_assert_voted(&s, &c, DENIAL_NONE);
	/* Renewals cost no write. */
	c.sent++;
	quorum_request(&s, &c);
	stage_run(&s, STAGE_BEAT + STAGE_BEAT / 4);
	assert_false(s.is_persisting[0]);
	assert_int_equal(said->votes, 2);
}

/* The nominee asks with each heartbeat, and may have asked again since. */
CASE(vote_request_that_waits_is_answered_in_its_latest_form)
{
	struct vote_request c = request_of(50);

	quorum_request(&s, &c);
	c.sent++;
	quorum_request(&s, &c);
	assert_int_equal(said->votes, 0);
	stage_persist(&s, 0, true);
	quorum_assert_voted(&s, &c, DENIAL_NONE);
	/* A later promise was made while the disk was at the first one. */
	stage_run(&s, STAGE_BEAT);
	c.term = 51;
	quorum_request(&s, &c);
	stage_run(&s, STAGE_BEAT);
	c.term = 52;
	quorum_request(&s, &c);
	said->votes = 0;
	while (s.is_persisting[0]) {
		bool is_last = s.durable.promise.term == 52;

		assert_int_equal(said->votes, 0);
		stage_persist(&s, 0, true);
		if (is_last)
			break;
	}
	quorum_assert_voted(&s, &c, DENIAL_NONE);
	assert_int_equal(s.durable.promise.term, 52);
}

CASE(asking_costs_nothing)
{
	struct vote_request c = request_of(50);

	c.is_prevote = true;
	quorum_request(&s, &c);
	quorum_assert_voted(&s, &c, DENIAL_NONE);
	assert_false(s.is_persisting[0]);
	/* A pre-vote does not bind: a lower term is still free. */
	c.term = 49;
	c.is_prevote = false;
	quorum_request(&s, &c);
	stage_persist(&s, 0, true);
	quorum_assert_voted(&s, &c, DENIAL_NONE);
}

/* Each costs a write: a faulty member must not cause a thousand. */
CASE(terms_are_promised_no_faster_than_heartbeats_ask)
{
	struct vote_request c = request_of(50);

	quorum_request(&s, &c);
	stage_persist(&s, 0, true);
	for (c.term = 51; c.term < 1000; c.term++)
		quorum_request(&s, &c);
	assert_false(s.is_persisting[0]);
	stage_run(&s, STAGE_BEAT);
	quorum_request(&s, &c);
	assert_true(s.is_persisting[0]);
	assert_int_equal(s.durable.promise.term, 1000);
	stage_persist(&s, 0, true);
	quorum_assert_voted(&s, &c, DENIAL_NONE);
}

/* A grant would bind the voter for a lease that nobody uses. */
CASE(vote_request_that_comes_after_its_release_is_not_granted)
{
	struct vote_request c = request_of(50);

	quorum_release(&s, 50);
	quorum_request(&s, &c);
	assert_false(s.is_persisting[0]);
	stage_run(&s, STAGE_BEAT);
	c.term = 51;
	quorum_request(&s, &c);
	assert_true(s.is_persisting[0]);
	stage_persist(&s, 0, true);
	quorum_assert_voted(&s, &c, DENIAL_NONE);
}

static void
lead_as_member(uint64_t term)
{
	struct beacon beacon = member_beacon(&s.members[0], term, 1);
	struct lease_left left = member_lease_left(&s.members[0], SEC);

	stage_lead(&s, 0, &beacon, &left);
}

/* The node must know the highest term after a restart. */
CASE(term_of_a_leader_is_written_once)
{
	lead_as_member(99);
	assert_true(s.is_persisting[0]);
	assert_int_equal(s.durable.term, 99);
	assert_int_equal(s.durable.promise.term, 0);
	stage_persist(&s, 0, true);
	lead_as_member(99);
	assert_false(s.is_persisting[0]);
}

/* The promise is durable, but the next one would not be. */
CASE(node_whose_disk_fails_later_votes_no_more)
{
	struct vote_request c = request_of(50);

	quorum_request(&s, &c);
	stage_persist(&s, 0, true);
	assert_int_equal(said->votes, 1);
	stage_persist(&s, 0, false);
	assert_int_equal(s.notices[NOTICE_STATE_FILE], 1);
	assert_int_equal(stage_status(&s, 0).state_health, STATE_HEALTH_FAILED);
	assert_false(stage_status(&s, 0).has_vote);
}

/* The last write may be on the disk or not: the node never votes again. */
CASE(node_whose_disk_fails_votes_no_more)
{
	struct vote_request c = request_of(50);

	assert_true(stage_status(&s, 0).has_vote);
	quorum_request(&s, &c);
	stage_persist(&s, 0, false);
	assert_int_equal(said->votes, 0);
	assert_int_equal(s.notices[NOTICE_STATE_FILE], 1);
	assert_int_equal(stage_status(&s, 0).state_health, STATE_HEALTH_FAILED);
	assert_false(stage_status(&s, 0).has_vote);
	stage_run(&s, STAGE_BEAT);
	c.term = 51;
	quorum_request(&s, &c);
	quorum_assert_voted(&s, &c, DENIAL_STATE_FILE);
	/* The node writes nothing else either, such as the term of a leader. */
	lead_as_member(99);
	assert_int_equal(stage_status(&s, 0).leader, 1);
	stage_run(&s, 5 * SEC);
	assert_false(s.is_persisting[0]);
	assert_false(s.members[0].heard.flags & BODY_VOTES);
	assert_int_equal(stage_status(&s, 0).state, STATE_NO_QUORUM);
	/* The node can elect nobody, nor follow a leader of an earlier term: so
	 * it states its own term. */
	assert_int_equal(said->beacon.leader.id, NODE_NONE);
	assert_int_equal(said->beacon.term, 99);
	assert_int_equal(s.notices[NOTICE_STATE_FILE], 1);
}

/* The node's last life may have granted a lease a moment before it ended. */
ALONE(node_that_has_just_started_denies_for_a_lease)
{
	struct vote_request c = request_of(50);

	quorum_set(&s);
	s.setups[0].role = ROLE_VOTER;
	s.setups[0].durable.lease = 2 * QUORUM_LEASE;
	quorum_begin(&s, SEC);
	quorum_request(&s, &c);
	quorum_assert_voted(&s, &c, DENIAL_QUARANTINE);
	assert_int_equal(said->vote.wait_ms, 3000);
	stage_run(&s, 3 * SEC - MSEC);
	quorum_request(&s, &c);
	quorum_assert_voted(&s, &c, DENIAL_QUARANTINE);
	assert_int_equal(said->vote.wait_ms, 1);
	stage_run(&s, MSEC);
	quorum_request(&s, &c);
	quorum_assert_voted(&s, &c, DENIAL_NONE);
}

/* The disk may finish with what it began after the goodbye. */
CASE(node_that_has_stopped_stays_so_when_its_disk_is_done)
{
	struct vote_request c = request_of(50);

	quorum_request(&s, &c);
	stage_stop(&s, 0);
	assert_true(node_stopped(s.nodes[0]));
	assert_true(s.members[0].goodbyes > 0);
	assert_int_equal(said->votes, 0);
	stage_persist(&s, 0, true);
	assert_true(node_stopped(s.nodes[0]));
	assert_true(node_deadline(s.nodes[0]) == NSEC_NEVER);
	assert_int_equal(stage_elect(&s, 0), 0);
}

/* The node is not eligible either: one of two processes is too many. */
CASE(node_whose_id_is_in_use_twice_does_not_vote)
{
	struct vote_request c = request_of(50);

	s.members[0].is_denouncing = true;
	quorum_request(&s, &c);
	quorum_assert_voted(&s, &c, DENIAL_STATE_FILE);
	assert_false(stage_status(&s, 0).has_vote);
	assert_false(s.members[0].heard.flags & BODY_VOTES);
	s.members[0].is_denouncing = false;
	stage_run(&s, 4 * SEC);
	assert_true(stage_status(&s, 0).has_vote);
	quorum_request(&s, &c);
	stage_persist(&s, 0, true);
	quorum_assert_voted(&s, &c, DENIAL_NONE);
}

ALONE(promise_of_an_earlier_life_is_kept)
{
	struct vote_request c = request_of(50);

	quorum_set(&s);
	s.setups[0].role = ROLE_VOTER;
	s.setups[0].durable.promise = (struct promise){ .term = 50,
		.owner = { .id = 3, .incarnation = 9 } };
	begin();
	quorum_request(&s, &c);
	quorum_assert_voted(&s, &c, DENIAL_PROMISED);
	assert_int_equal(said->vote.promised, 50);
	c.term = 51;
	quorum_request(&s, &c);
	stage_persist(&s, 0, true);
	quorum_assert_voted(&s, &c, DENIAL_NONE);
}

ALONE(observer_is_not_asked_and_ineligible_node_is_not_granted)
{
	struct vote_request c = request_of(50);

	quorum_set(&s);
	s.setups[0].role = ROLE_OBSERVER;
	begin();
	quorum_request(&s, &c);
	assert_int_equal(said->votes, 0);
	stage_strike(&s);
	quorum_set(&s);
	s.configured[0][0].role = ROLE_VOTER;
	begin();
	quorum_request(&s, &c);
	stage_run(&s, SEC);
	assert_int_equal(said->votes, 0);
	assert_int_not_equal(s.durable.promise.owner.id, 1);
}

/* Under the other guarantee nobody promises anything. */
ALONE(words_of_quorum_say_nothing_in_component_mode)
{
	struct vote_request c = request_of(50);
	uint64_t term;

	quorum_set(&s);
	s.setups[0].guarantee = GUARANTEE_COMPONENT;
	s.setups[0].timing.lease = 0;
	quorum_begin(&s, 3 * SEC);
	term = stage_status(&s, 0).term;
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	s.is_slow = true;
	quorum_request(&s, &c);
	quorum_release(&s, 50);
	stage_vote(&s, 0, &(struct vote_response){ .term = 50, .sent = 1 });
	stage_vote(&s, 0,
	    &(struct vote_response){
		.term = 50, .denial = DENIAL_PROMISED, .promised = 60 });
	stage_run(&s, SEC);
	assert_int_equal(said->votes + said->requests + said->releases, 0);
	assert_false(s.is_persisting[0]);
	assert_int_equal(stage_status(&s, 0).term, term);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 0);
}

/* The operator may go back to the first guarantee, where they count again. */
ALONE(promise_and_lease_outlast_component_mode)
{
	quorum_set(&s);
	s.setups[0].guarantee = GUARANTEE_COMPONENT;
	s.setups[0].timing.lease = 0;
	s.setups[0].durable.promise = (struct promise){ .term = 50,
		.owner = { .id = 3, .incarnation = 9 },
		.is_early = true };
	s.setups[0].durable.lease = 5 * SEC;
	quorum_begin(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	stage_declare_dead(&s, 0);
	assert_int_equal(s.durable.incarnation, 8);
	assert_true(s.durable.term > 50);
	assert_int_equal(s.durable.promise.term, 50);
	assert_int_equal(s.durable.promise.owner.id, 3);
	assert_true(s.durable.promise.is_early);
	assert_int_equal(s.durable.lease, 5 * SEC);
}

/* Each kind of frame is a byte too short, or too long. */
CASE(words_without_sense_are_dropped)
{
	static const struct {
		uint8_t type;
		size_t size;
	} words[] = {
		{ FRAME_VOTE_REQUEST, VOTE_REQUEST_BYTES },
		{ FRAME_VOTE_RESPONSE, VOTE_RESPONSE_BYTES },
		{ FRAME_RELEASE, RELEASE_BYTES },
		{ FRAME_LEASE_LEFT, LEASE_LEFT_BYTES },
	};
	static const uint8_t zeros[VOTE_REQUEST_BYTES + 1];
	uint8_t absurd[VOTE_REQUEST_BYTES];
	uint64_t dropped = 0;

	memset(absurd, 0xff, sizeof(absurd));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		stage_frame(&s, 0, words[i].type, zeros, words[i].size - 1);
		stage_frame(&s, 0, words[i].type, zeros, words[i].size + 1);
		stage_frame(&s, 0, words[i].type, zeros, 0);
		dropped += 3;
		assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), dropped);
		if (words[i].type == FRAME_LEASE_LEFT)
			continue;
		stage_frame(&s, 0, words[i].type, absurd, words[i].size);
		assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), ++dropped);
	}
	assert_int_equal(said->votes, 0);
	assert_false(s.is_persisting[0]);
}

/* No election could ever go above it. */
CASE(vote_request_of_an_absurd_term_is_not_granted)
{
	const struct vote_request c = request_of(TERM_MAX);

	quorum_request(&s, &c);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 1);
	assert_int_equal(said->votes, 0);
	assert_false(s.is_persisting[0]);
}
