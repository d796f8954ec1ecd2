/* SPDX-License-Identifier: ISC */
/*
 * A node as a voter: which requests it grants, what must be durable before it
 * says so, and words of a member that have no effect.
 */
#include "tests/lib/ballot.h"
#include "tests/unit/group.h"

#include <string.h>

static struct ballot b;

/* The member has been up for so long that old leases are over. It grants
 * nothing, so nobody leads. */
static void
begin(void)
{
	ballot_begin(&b, 3 * SEC);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	b.is_slow = true;
	b.votes = 0;
}

static int
enter(void **state)
{
	(void)state;
	ballot_set(&b);
	/* The node is not eligible: it votes for the member. */
	b.setup.role = ROLE_VOTER;
	begin();
	return 0;
}

static struct vote_request
request_of(uint64_t term)
{
	return (struct vote_request){
		.term = term, .sent = 12345, .lease = BALLOT_LEASE
	};
}

#define ALONE(name) BALLOT_CASE(name, NULL, &b)
#define CASE(name)  BALLOT_CASE(name, enter, &b)

CASE(grant_leaves_once_the_promise_is_durable)
{
	struct vote_request c = request_of(50);

	ballot_request(&b, &c);
	assert_true(b.is_persisting);
	assert_int_equal(b.durable.promise.term, 50);
	assert_int_equal(b.durable.promise.owner.id, 1);
	assert_int_equal(
	    b.durable.promise.owner.incarnation, b.member.incarnation);
	assert_int_equal(b.votes, 0);
	/* This holds however long the disk takes. */
	ballot_run(&b, SEC);
	assert_int_equal(b.votes, 0);
	ballot_persist(&b, true);
	ballot_assert_voted(&b, &c, DENIAL_NONE);
	/* Renewals cost no write. */
	c.sent++;
	ballot_request(&b, &c);
	ballot_run(&b, BALLOT_BEAT + BALLOT_BEAT / 4);
	assert_false(b.is_persisting);
	assert_int_equal(b.votes, 2);
}

/* The nominee asks with each heartbeat, and may have asked again since. */
CASE(vote_request_that_waits_is_answered_in_its_latest_form)
{
	struct vote_request c = request_of(50);

	ballot_request(&b, &c);
	c.sent++;
	ballot_request(&b, &c);
	assert_int_equal(b.votes, 0);
	ballot_persist(&b, true);
	ballot_assert_voted(&b, &c, DENIAL_NONE);
	/* A later promise was made while the disk was at the first one. */
	ballot_run(&b, BALLOT_BEAT);
	c.term = 51;
	ballot_request(&b, &c);
	ballot_run(&b, BALLOT_BEAT);
	c.term = 52;
	ballot_request(&b, &c);
	b.votes = 0;
	while (b.is_persisting) {
		bool is_last = b.durable.promise.term == 52;

		assert_int_equal(b.votes, 0);
		ballot_persist(&b, true);
		if (is_last)
			break;
	}
	ballot_assert_voted(&b, &c, DENIAL_NONE);
	assert_int_equal(b.durable.promise.term, 52);
}

CASE(asking_costs_nothing)
{
	struct vote_request c = request_of(50);

	c.is_prevote = true;
	ballot_request(&b, &c);
	ballot_assert_voted(&b, &c, DENIAL_NONE);
	assert_false(b.is_persisting);
	/* It does not bind either: a lower term is still free. */
	c.term = 49;
	c.is_prevote = false;
	ballot_request(&b, &c);
	ballot_persist(&b, true);
	ballot_assert_voted(&b, &c, DENIAL_NONE);
}

/* Each costs a write: a faulty member must not cause a thousand. */
CASE(terms_are_promised_no_faster_than_heartbeats_ask)
{
	struct vote_request c = request_of(50);

	ballot_request(&b, &c);
	ballot_persist(&b, true);
	for (c.term = 51; c.term < 1000; c.term++)
		ballot_request(&b, &c);
	assert_false(b.is_persisting);
	ballot_run(&b, BALLOT_BEAT);
	ballot_request(&b, &c);
	assert_true(b.is_persisting);
	assert_int_equal(b.durable.promise.term, 1000);
	ballot_persist(&b, true);
	ballot_assert_voted(&b, &c, DENIAL_NONE);
}

/* A grant would bind the voter for a lease that nobody uses. */
CASE(vote_request_that_comes_after_its_release_is_not_granted)
{
	struct vote_request c = request_of(50);

	ballot_release(&b, 50);
	ballot_request(&b, &c);
	assert_false(b.is_persisting);
	ballot_run(&b, BALLOT_BEAT);
	c.term = 51;
	ballot_request(&b, &c);
	assert_true(b.is_persisting);
	ballot_persist(&b, true);
	ballot_assert_voted(&b, &c, DENIAL_NONE);
}

static void
lead_as_member(uint64_t term)
{
	struct beacon beacon = {
		.term = term,
		.leader = { .is_eligible = true,
		    .is_contender = true,
		    .id = 1 },
		.incarnation = b.member.incarnation,
		.number = 1,
	};
	struct lease_left lease_left = { b.member.heard.timestamp, SEC / USEC };
	uint8_t frames[2 * FRAME_BYTES + BEACON_BYTES + LEASE_LEFT_BYTES];
	uint8_t bytes[LEASE_LEFT_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));
	struct writer t = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { FRAME_LEASE_LEFT, 0, bytes, sizeof(bytes) };

	member_write_beacon(&w, &beacon);
	lease_left_encode(&t, &lease_left);
	frame_encode(&w, &f);
	ballot_say(&b, &w, 2);
}

/* The node must know the highest term after a restart. */
CASE(term_of_a_leader_is_written_once)
{
	lead_as_member(99);
	assert_true(b.is_persisting);
	assert_int_equal(b.durable.term, 99);
	assert_int_equal(b.durable.promise.term, 0);
	ballot_persist(&b, true);
	lead_as_member(99);
	assert_false(b.is_persisting);
}

/* The promise is durable, but the next one would not be. */
CASE(node_whose_disk_fails_later_votes_no_more)
{
	struct vote_request c = request_of(50);

	ballot_request(&b, &c);
	ballot_persist(&b, true);
	assert_int_equal(b.votes, 1);
	ballot_persist(&b, false);
	assert_int_equal(b.notices[NOTICE_STATE_FILE], 1);
	assert_int_equal(ballot_status(&b).state_health, STATE_HEALTH_FAILED);
	assert_false(ballot_status(&b).has_vote);
}

/* The last write may be on the disk or not: the node never votes again. */
CASE(node_whose_disk_fails_votes_no_more)
{
	struct vote_request c = request_of(50);

	assert_true(ballot_status(&b).has_vote);
	ballot_request(&b, &c);
	ballot_persist(&b, false);
	assert_int_equal(b.votes, 0);
	assert_int_equal(b.notices[NOTICE_STATE_FILE], 1);
	assert_int_equal(ballot_status(&b).state_health, STATE_HEALTH_FAILED);
	assert_false(ballot_status(&b).has_vote);
	ballot_run(&b, BALLOT_BEAT);
	c.term = 51;
	ballot_request(&b, &c);
	ballot_assert_voted(&b, &c, DENIAL_STATE_FILE);
	/* It writes nothing else either, such as the term of a leader. */
	lead_as_member(99);
	assert_int_equal(ballot_status(&b).leader, 1);
	ballot_run(&b, 5 * SEC);
	assert_false(b.is_persisting);
	assert_false(b.member.heard.flags & BODY_VOTES);
	assert_int_equal(ballot_status(&b).state, STATE_NO_QUORUM);
	/* It can elect nobody, nor follow a leader of an earlier term: so it
	 * states its own term. */
	assert_int_equal(b.member.beacon.leader.id, NODE_NONE);
	assert_int_equal(b.member.beacon.term, 99);
	assert_int_equal(b.notices[NOTICE_STATE_FILE], 1);
}

/* Its last life may have granted a lease a moment before it ended. */
ALONE(node_that_has_just_started_denies_for_a_lease)
{
	struct vote_request c = request_of(50);

	ballot_set(&b);
	b.setup.role = ROLE_VOTER;
	b.setup.durable.lease = 2 * BALLOT_LEASE;
	ballot_begin(&b, SEC);
	ballot_request(&b, &c);
	ballot_assert_voted(&b, &c, DENIAL_QUARANTINE);
	assert_int_equal(b.said.vote.wait_ms, 3000);
	ballot_run(&b, 3 * SEC - MSEC);
	ballot_request(&b, &c);
	ballot_assert_voted(&b, &c, DENIAL_QUARANTINE);
	assert_int_equal(b.said.vote.wait_ms, 1);
	ballot_run(&b, MSEC);
	ballot_request(&b, &c);
	ballot_assert_voted(&b, &c, DENIAL_NONE);
}

/* The disk may finish with what it began after the goodbye. */
CASE(node_that_has_stopped_stays_so_when_its_disk_is_done)
{
	struct vote_request c = request_of(50);

	ballot_request(&b, &c);
	ballot_stop(&b);
	assert_true(node_stopped(b.node));
	assert_true(b.goodbyes > 0);
	assert_int_equal(b.votes, 0);
	ballot_persist(&b, true);
	assert_true(node_stopped(b.node));
	assert_true(node_deadline(b.node) == NSEC_NEVER);
	assert_int_equal(ballot_elect(&b), 0);
}

/* It is not eligible either: one of two processes is too many. */
CASE(node_whose_id_is_in_use_twice_does_not_vote)
{
	struct vote_request c = request_of(50);

	b.is_denouncing = true;
	ballot_request(&b, &c);
	ballot_assert_voted(&b, &c, DENIAL_STATE_FILE);
	assert_false(ballot_status(&b).has_vote);
	assert_false(b.member.heard.flags & BODY_VOTES);
	b.is_denouncing = false;
	ballot_run(&b, 4 * SEC);
	assert_true(ballot_status(&b).has_vote);
	ballot_request(&b, &c);
	ballot_persist(&b, true);
	ballot_assert_voted(&b, &c, DENIAL_NONE);
}

ALONE(promise_of_an_earlier_life_is_kept)
{
	struct vote_request c = request_of(50);

	ballot_set(&b);
	b.setup.role = ROLE_VOTER;
	b.setup.durable.promise =
	    (struct promise){ 50, { .id = 3, .incarnation = 9 }, false };
	begin();
	ballot_request(&b, &c);
	ballot_assert_voted(&b, &c, DENIAL_PROMISED);
	assert_int_equal(b.said.vote.promised, 50);
	c.term = 51;
	ballot_request(&b, &c);
	ballot_persist(&b, true);
	ballot_assert_voted(&b, &c, DENIAL_NONE);
}

ALONE(observer_is_not_asked_and_ineligible_node_is_not_granted)
{
	struct vote_request c = request_of(50);

	ballot_set(&b);
	b.setup.role = ROLE_OBSERVER;
	begin();
	ballot_request(&b, &c);
	assert_int_equal(b.votes, 0);
	ballot_strike(&b);
	ballot_set(&b);
	b.peers[0].role = ROLE_VOTER;
	begin();
	ballot_request(&b, &c);
	ballot_run(&b, SEC);
	assert_int_equal(b.votes, 0);
	assert_int_not_equal(b.durable.promise.owner.id, 1);
}

/* Under the other guarantee nobody promises anything. */
ALONE(words_of_quorum_say_nothing_in_component_mode)
{
	struct vote_request c = request_of(50);
	uint64_t term;

	ballot_set(&b);
	b.setup.guarantee = GUARANTEE_COMPONENT;
	b.setup.timing.lease = 0;
	ballot_begin(&b, 3 * SEC);
	term = ballot_status(&b).term;
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	b.is_slow = true;
	ballot_request(&b, &c);
	ballot_release(&b, 50);
	ballot_vote(&b, &(struct vote_response){ .term = 50, .sent = 1 });
	ballot_vote(
	    &b, &(struct vote_response){
		    .term = 50, .denial = DENIAL_PROMISED, .promised = 60 });
	ballot_run(&b, SEC);
	assert_int_equal(b.votes + b.requests + b.releases, 0);
	assert_false(b.is_persisting);
	assert_int_equal(ballot_status(&b).term, term);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(ballot_dropped(&b, DROP_FORMAT), 0);
}

/* The operator may go back to the first guarantee, where they count again. */
ALONE(promise_and_lease_outlast_component_mode)
{
	ballot_set(&b);
	b.setup.guarantee = GUARANTEE_COMPONENT;
	b.setup.timing.lease = 0;
	b.setup.durable.promise =
	    (struct promise){ 50, { .id = 3, .incarnation = 9 }, true };
	b.setup.durable.lease = 5 * SEC;
	ballot_begin(&b, 3 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	ballot_declare_dead(&b);
	assert_int_equal(b.durable.incarnation, 8);
	assert_true(b.durable.term > 50);
	assert_int_equal(b.durable.promise.term, 50);
	assert_int_equal(b.durable.promise.owner.id, 3);
	assert_true(b.durable.promise.is_early);
	assert_int_equal(b.durable.lease, 5 * SEC);
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
		ballot_frame(&b, words[i].type, zeros, words[i].size - 1);
		ballot_frame(&b, words[i].type, zeros, words[i].size + 1);
		ballot_frame(&b, words[i].type, zeros, 0);
		dropped += 3;
		assert_int_equal(ballot_dropped(&b, DROP_FORMAT), dropped);
		if (words[i].type == FRAME_LEASE_LEFT)
			continue;
		ballot_frame(&b, words[i].type, absurd, words[i].size);
		assert_int_equal(ballot_dropped(&b, DROP_FORMAT), ++dropped);
	}
	assert_int_equal(b.votes, 0);
	assert_false(b.is_persisting);
}

/* No election could ever go above it. */
CASE(vote_request_of_an_absurd_term_is_not_granted)
{
	const struct vote_request c = request_of(TERM_MAX);

	ballot_request(&b, &c);
	assert_int_equal(ballot_dropped(&b, DROP_FORMAT), 1);
	assert_int_equal(b.votes, 0);
	assert_false(b.is_persisting);
}
