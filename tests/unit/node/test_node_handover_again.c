/* SPDX-License-Identifier: ISC */
/*
 * A leader by votes that hands over, wins an election once more, and hands over
 * once more: promises for the first handover do not count for the second.
 */
#include "tests/lib/ballot.h"
#include "tests/unit/group.h"

static struct ballot b;

/* The member has promised this term to another. */
static void
deny(uint64_t term, uint64_t promised)
{
	ballot_vote(&b, &(struct vote_response){ .term = term,
			    .sent = 1,
			    .denial = DENIAL_PROMISED,
			    .promised = promised });
}

/* It hands over, and wins an election once more. Its own voter has promised the
 * member term + 2 if `is_own`, else the member has promised that to itself. */
static void
hand_over_twice(bool is_own)
{
	uint64_t term = ballot_status(&b).term;
	struct vote_request mine;

	b.is_granting = false;
	assert_int_equal(ballot_elect(&b), term + 1);
	mine = b.said.request;
	assert_int_equal(mine.term, term + 1);
	ballot_stop(&b);
	assert_true(b.said.beacon.hands_over);
	if (is_own)
		ballot_request(
		    &b, &(struct vote_request){ .term = term + 2, .sent = 5 });
	else
		deny(term + 1, term + 2);
	assert_int_equal(ballot_status(&b).term, term);
	ballot_vote(&b,
	    &(struct vote_response){
		.term = term + 1, .sent = mine.sent, .promised = term + 1 });
	assert_int_equal(ballot_status(&b).term, term + 1);
	ballot_run(&b, 0);
	assert_int_equal(b.said.beacon.term, term + 1);
	assert_true(b.said.beacon.hands_over);
}

#define LEADER(name) BALLOT_CASE(name, ballot_enter_leader, &b)

/* A promise counts once for each response that reports it. */
LEADER(own_promise_counts_for_one_handover)
{
	uint64_t term = ballot_status(&b).term + 1;

	hand_over_twice(true);
	deny(term, term + 1);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	/* It waits for the next request. */
	ballot_run(&b, 2 * BALLOT_BEAT);
	assert_int_not_equal(ballot_status(&b).state, STATE_LEADER);
}

LEADER(promise_of_another_counts_for_one_handover)
{
	uint64_t term = ballot_status(&b).term + 1;

	hand_over_twice(false);
	ballot_request(
	    &b, &(struct vote_request){ .term = term + 1, .sent = 5 });
	assert_int_equal(b.durable.promise.term, term + 1);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	deny(term, term + 1);
	assert_int_not_equal(ballot_status(&b).state, STATE_LEADER);
}
