/* SPDX-License-Identifier: ISC */
/*
 * A leader by votes that hands over, wins an election once more, and hands over
 * once more: promises for the first handover do not count for the second.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

static struct stage s;
static struct said *const said = &s.members[0].said;

/* The member has promised this term to another. */
static void
deny(uint64_t term, uint64_t promised)
{
	stage_vote(&s, 0,
	    &(struct vote_response){ .term = term,
		.sent = 1,
		.denial = DENIAL_PROMISED,
		.promised = promised });
}

/* The leader hands over, and wins an election once more. Its own voter has
 * promised the member term + 2 if `is_own`, else the member has promised that
 * to itself. */
static void
hand_over_twice(bool is_own)
{
	uint64_t term = stage_status(&s, 0).term;
	struct vote_request mine;

	s.is_granting = false;
	assert_int_equal(stage_elect(&s, 0), term + 1);
	mine = said->request;
	assert_int_equal(mine.term, term + 1);
	stage_stop(&s, 0);
	assert_true(said->beacon.hands_over);
	if (is_own)
		quorum_request(
		    &s, &(struct vote_request){ .term = term + 2, .sent = 5 });
	else
		deny(term + 1, term + 2);
	assert_int_equal(stage_status(&s, 0).term, term);
	stage_vote(&s, 0,
	    &(struct vote_response){
		.term = term + 1, .sent = mine.sent, .promised = term + 1 });
	assert_int_equal(stage_status(&s, 0).term, term + 1);
	stage_run(&s, 0);
	assert_int_equal(said->beacon.term, term + 1);
	assert_true(said->beacon.hands_over);
}

#define LEADER(name) STAGE_CASE(name, quorum_enter_leader, &s)

/* A promise counts once for each response that reports it. */
LEADER(own_promise_counts_for_one_handover)
{
	uint64_t term = stage_status(&s, 0).term + 1;

	hand_over_twice(true);
	deny(term, term + 1);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	/* The leader waits for the next request. */
	stage_run(&s, 2 * STAGE_BEAT);
	assert_int_not_equal(stage_status(&s, 0).state, STATE_LEADER);
}

LEADER(promise_of_another_counts_for_one_handover)
{
	uint64_t term = stage_status(&s, 0).term + 1;

	hand_over_twice(false);
	quorum_request(
	    &s, &(struct vote_request){ .term = term + 1, .sent = 5 });
	assert_int_equal(s.durable.promise.term, term + 1);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	deny(term, term + 1);
	assert_int_not_equal(stage_status(&s, 0).state, STATE_LEADER);
}
