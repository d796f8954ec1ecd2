/* SPDX-License-Identifier: ISC */
/* Which voters a voter votes for, and the terms of a generation. */
#include "tests/lib/ballot.h"
#include "tests/unit/group.h"

#define FLOOR   (3 * GENERATION_TERMS)
#define CEILING (4 * GENERATION_TERMS - 1)

static struct ballot b;

static bool
admits(uint32_t had, uint8_t voters_had, uint32_t has, uint8_t voters)
{
	const struct electorate was = { had, { voters_had } };
	const struct electorate is = { has, { voters } };

	return electorate_admits(&was, &is);
}

static void
a_voter_votes_for_its_own_and_for_later_generations(void **state)
{
	(void)state;
	assert_true(admits(0, 1, 0, 1));
	assert_true(admits(2, 1, 2, 1));
	assert_true(admits(2, 1, 3, 1));
	assert_true(admits(2, 1, 3, 9));
	assert_true(admits(0, 1, GENERATION_MAX, 9));
}

static void
a_voter_votes_for_no_others(void **state)
{
	(void)state;
	assert_false(admits(0, 1, 0, 9));
	assert_false(admits(2, 1, 2, 9));
	assert_false(admits(3, 1, 2, 1));
	assert_false(admits(3, 1, 2, 9));
}

static void
generations_have_no_term_in_common(void **state)
{
	(void)state;
	assert_true(generation_floor(0) == 0);
	for (uint32_t g = 1; g <= GENERATION_MAX; g++) {
		assert_true(generation_floor(g) > generation_ceiling(g - 1));
		assert_true(generation_ceiling(g) > generation_floor(g));
	}
	assert_true(generation_ceiling(GENERATION_MAX) < (uint64_t)1 << 53);
	assert_true(generation_ceiling(GENERATION_MAX) < TERM_MAX);
}

/* A voter of three generations that had come to term 7 of the first. */
static int
enter(void **state)
{
	(void)state;
	ballot_set(&b);
	b.setup.electorate.generation = 3;
	b.setup.durable.term = 7;
	b.setup.durable.promise = (struct promise){ 7, { 1, 1 }, false };
	ballot_start(&b);
	ballot_join(&b);
	ballot_run(&b, 2 * BALLOT_LEASE);
	return 0;
}

static void
elections_begin_above_the_terms_of_earlier_generations(void **state)
{
	(void)state;
	ballot_await_request(&b);
	assert_true(b.said.request.term > FLOOR);
	assert_true(b.said.request.term < FLOOR + 100);
}

/* Else one word of a broken member would use up the terms of this generation,
 * or of later ones. */
static void
no_term_far_ahead_is_promised(void **state)
{
	const uint64_t most = FLOOR + GENERATION_JUMP;
	struct vote_request request = { .sent = 1 };

	(void)state;
	b.votes = 0;
	for (request.term = CEILING - 1; request.term <= CEILING + 1;
	     request.term++)
		ballot_request(&b, &request);
	assert_int_equal(b.votes, 0);
	assert_false(b.is_persisting);
	request.term = most;
	ballot_request(&b, &request);
	ballot_assert_voted(&b, &request, DENIAL_NONE);
	assert_true(b.durable.promise.term == most);
}

/* The next term is of the next generation. */
static void
no_election_begins_above_the_last_term(void **state)
{
	(void)state;
	ballot_set(&b);
	b.setup.electorate.generation = 3;
	b.setup.durable.term = CEILING - 1;
	ballot_start(&b);
	ballot_join(&b);
	b.is_granting = true;
	ballot_run(&b, 10 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_true(ballot_status(&b).term == CEILING);
	assert_int_equal(ballot_elect(&b), 0);
	b.is_granting = false;
	ballot_run(&b, 10 * SEC);
	b.is_granting = true;
	ballot_run(&b, 10 * SEC);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	assert_true(b.said.request.term <= CEILING);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_voter_votes_for_its_own_and_for_later_generations),
	cmocka_unit_test(a_voter_votes_for_no_others),
	cmocka_unit_test(generations_have_no_term_in_common),
	BALLOT_CASE(
	    elections_begin_above_the_terms_of_earlier_generations, enter, &b),
	BALLOT_CASE(no_term_far_ahead_is_promised, enter, &b),
	BALLOT_CASE(no_election_begins_above_the_last_term, NULL, &b),
};

GROUP(tests);
