/* SPDX-License-Identifier: ISC */
/*
 * A node that the leader names as its successor: when it begins, and which
 * reason it gives. Node 2 and a member that leads, as it is preferred; without
 * votes, and with them.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#define SELF 2
#define TERM 50
#define LONG (200 * MSEC) /* the remaining leases of the member's */

static struct stage s;
static struct said *const said = &s.members[0].said;

static int
enter(void **state)
{
	(void)state;
	stage_set(&s, 1);
	s.setups[0].prefer = PREFER_LOWEST;
	s.members[0].incarnation = 5;
	return 0;
}

static int
enter_follower(void **state)
{
	enter(state);
	stage_begin(&s, 5 * SEC);
	return 0;
}

static int
enter_follower_of_votes(void **state)
{
	(void)state;
	quorum_set(&s);
	s.setups[0].prefer = PREFER_LOWEST;
	s.members[0].is_abstaining = true;
	quorum_begin(&s, 3 * SEC);
	return 0;
}

/* The member leads, and won for a reason of its own. */
static struct beacon
beacon_of(uint64_t term, uint64_t number)
{
	return (struct beacon){
		.term = term,
		.leader = { .is_eligible = true,
		    .is_contender = true,
		    .id = 1 },
		.incarnation = 5,
		.number = number,
		.reason = { REASON_MISSED, 3 },
	};
}

static struct beacon
room_of(uint64_t term, uint64_t number, bool is_leaving, node_id successor)
{
	struct beacon beacon = beacon_of(term, number);

	beacon.hands_over = true;
	beacon.is_leaving = is_leaving;
	beacon.successor = successor;
	return beacon;
}

static void
assert_leads(uint64_t term, enum reason_kind kind)
{
	struct node_status status = stage_status(&s, 0);

	assert_int_equal(status.state, STATE_LEADER);
	assert_int_equal(status.term, term);
	assert_int_equal(status.reason.kind, kind);
	assert_int_equal(status.reason.node, 1);
}

static void
assert_follows(uint64_t term)
{
	assert_int_equal(stage_status(&s, 0).leader, 1);
	assert_int_equal(stage_status(&s, 0).term, term);
}

#define CASE(name) STAGE_CASE(name, enter_follower, &s)

CASE(successor_that_is_named_begins_at_once)
{
	const struct beacon first = beacon_of(TERM, 1);
	const struct beacon room = room_of(TERM, 2, false, SELF);

	stage_lead(&s, 0, &first, NULL);
	assert_follows(TERM);
	stage_lead(&s, 0, &room, NULL);
	assert_leads(TERM + 1, REASON_RESIGN);
}

STAGE_CASE(successor_that_still_listens_begins_at_once_too, enter, &s)
{
	const struct beacon first = beacon_of(TERM, 1);
	const struct beacon room = room_of(TERM, 2, true, SELF);

	quorum_begin(&s, 0);
	stage_lead(&s, 0, &first, NULL);
	assert_follows(TERM);
	stage_lead(&s, 0, &room, NULL);
	assert_leads(TERM + 1, REASON_BYE);
}

/* The datagram before, which said that it leads, was lost. */
CASE(first_word_of_a_leader_may_be_that_it_hands_over)
{
	const struct beacon room = room_of(TERM, 2, true, SELF);

	stage_lead(&s, 0, &room, NULL);
	assert_leads(TERM + 1, REASON_BYE);
}

/* The successor begins an election, and the leader wins once more, and hands
 * over again. */
CASE(successor_in_an_election_begins_when_it_is_over)
{
	const struct beacon first = beacon_of(TERM, 1);
	const struct beacon room = room_of(TERM, 2, false, SELF);
	const struct beacon again = room_of(TERM + 1, 4, false, SELF);

	stage_lead(&s, 0, &first, NULL);
	assert_int_equal(stage_elect(&s, 0), TERM + 1);
	stage_lead(&s, 0, &room, NULL);
	assert_follows(TERM);
	stage_lead(&s, 0, &again, NULL);
	assert_leads(TERM + 2, REASON_RESIGN);
}

CASE(node_that_is_not_named_begins_no_election)
{
	const struct beacon room = room_of(TERM, 2, false, 3);
	const struct beacon nobody = room_of(TERM, 3, false, NODE_NONE);

	stage_lead(&s, 0, &room, NULL);
	stage_run(&s, 200 * MSEC);
	stage_lead(&s, 0, &nobody, NULL);
	stage_run(&s, 200 * MSEC);
	assert_follows(TERM);
}

/* The node gives the reason why the leader led, not why it hands over. */
CASE(reason_of_a_leader_that_hands_over_is_its_own)
{
	const struct beacon room = room_of(TERM, 2, true, 3);

	stage_lead(&s, 0, &room, NULL);
	assert_follows(TERM);
	assert_int_equal(stage_status(&s, 0).reason.kind, REASON_MISSED);
	assert_int_equal(stage_status(&s, 0).reason.node, 3);
}

/* A faulty member names another leader and hands over itself. */
CASE(handover_after_handover_makes_no_election_after_another)
{
	nsec_t until = s.now + SEC;

	s.notices[NOTICE_ELECTION] = 0;
	while (s.now < until) {
		uint64_t term = stage_status(&s, 0).term;
		struct beacon room = room_of(term + TERM, 2, true, SELF);

		if (stage_status(&s, 0).leader != 1)
			stage_lead(&s, 0, &room, NULL);
		stage_run(&s, MSEC);
	}
	assert_in_range(s.notices[NOTICE_ELECTION], 5, 11);
}

static void
tell(const struct beacon *beacon)
{
	struct lease_left left = member_lease_left(&s.members[0], LONG);

	stage_lead(&s, 0, beacon, &left);
}

/* A voter has promised a later term than it asks for. It pauses, and asks for
 * one above that, during the handover. */
STAGE_CASE(
    successor_whose_election_failed_begins_another, enter_follower_of_votes, &s)
{
	uint64_t term = stage_status(&s, 0).term + TERM;
	struct beacon beacon = room_of(term, 2, false, SELF);

	beacon.incarnation = s.members[0].incarnation;
	tell(&beacon);
	assert_int_equal(stage_status(&s, 0).leader, 1);
	quorum_await_request(&s);
	assert_int_equal(said->request.term, term + 1);
	stage_vote(&s, 0,
	    &(struct vote_response){ .term = term + 1,
		.is_prevote = true,
		.sent = said->request.sent,
		.denial = DENIAL_PROMISED,
		.promised = term + 3 });
	assert_int_equal(stage_status(&s, 0).leader, 1);
	for (said->has_request = false; !said->has_request; beacon.number++) {
		assert_true(beacon.number < 250);
		stage_run(&s, MSEC);
		if (!said->has_request)
			tell(&beacon);
	}
	assert_int_equal(said->request.term, term + 4);
}
