/* SPDX-License-Identifier: ISC */
/*
 * A voter whose holder hands over: the next leader is promised its term while
 * the old one still leads, and granted it afterwards, not before (PROTOCOL.md,
 * Early promises).
 */

#include "tests/unit/group.h"

#include "common/quorum/voter.h"

#define LEASE (2 * SEC)
#define START (10 * SEC) /* the holder was granted then */
#define LATER (START + SEC)

static const struct owner A = { 1, 10 };
static const struct owner B = { 2, 20 };
static const struct owner C = { 3, 30 };

static struct vote_response
claims(struct voter *v, nsec_t now, struct owner who,
    const struct vote_request *claim, enum request_outcome expected)
{
	struct vote_response vote;

	assert_int_equal(voter_answer(v, now, who, claim, &vote), expected);
	voter_check(v);
	return vote;
}

static struct vote_response
claim(struct voter *v, nsec_t now, struct owner who, uint64_t term,
    enum request_outcome expected)
{
	const struct vote_request c = { .term = term, .sent = now };

	return claims(v, now, who, &c, expected);
}

static enum denial
denial_of(struct voter *v, nsec_t now, struct owner who, uint64_t term)
{
	return claim(v, now, who, term, REQUEST_ANSWERED).denial;
}

static void
grant(struct voter *v, nsec_t now, struct owner who, uint64_t term)
{
	claim(v, now, who, term, REQUEST_PENDING);
	voter_kept(v);
	assert_int_equal(denial_of(v, now, who, term), DENIAL_NONE);
}

/* Term 5 is A's; it hands over. */
static struct voter
voter_yielding(void)
{
	const struct promise none = { .term = 0 };
	struct voter v;

	voter_init(&v, &none, true, LEASE, 0);
	grant(&v, START, A, 5);
	v.is_yielding = true;
	return v;
}

/* And term 6 is promised to B, durably. */
static struct voter
voter_promised(void)
{
	struct voter v = voter_yielding();

	claim(&v, LATER, B, 6, REQUEST_PENDING);
	voter_kept(&v);
	return v;
}

static struct voter
restarted(const struct voter *v)
{
	struct voter again;

	voter_init(&again, &v->promise, true, LEASE, LATER + LEASE);
	return again;
}

static void
who_asks_is_told_that_it_would_be_granted(void **state)
{
	const struct vote_request dry = {
		.term = 6, .sent = LATER, .is_prevote = true
	};
	struct voter v = voter_yielding(), held = voter_yielding();
	struct vote_response vote =
	    claims(&v, LATER, B, &dry, REQUEST_ANSWERED);

	(void)state;
	assert_int_equal(vote.denial, DENIAL_NONE);
	assert_true(vote.is_prevote);
	assert_int_equal(v.promise.term, 5);
	assert_true(v.is_kept);
	/* Not of a holder that stays. */
	held.is_yielding = false;
	vote = claims(&held, LATER, B, &dry, REQUEST_ANSWERED);
	assert_int_equal(vote.denial, DENIAL_HELD);
}

static void
next_is_promised_durably_and_told_that_another_holds(void **state)
{
	struct voter v = voter_yielding();
	struct vote_response vote;

	(void)state;
	claim(&v, LATER, B, 6, REQUEST_PENDING);
	assert_true(v.promise.is_early);
	assert_int_equal(v.promise.term, 6);
	assert_false(v.is_kept);
	claim(&v, LATER, B, 6, REQUEST_PENDING);
	voter_kept(&v);
	vote = claim(&v, LATER, B, 6, REQUEST_ANSWERED);
	assert_int_equal(vote.denial, DENIAL_HELD);
	assert_int_equal(vote.promised, 6);
	assert_int_equal(vote.wait_ms, 1000);
	assert_int_equal(v.holder.id, A.id);
	assert_int_equal(v.holder_term, 5);
}

static void
without_room_nothing_is_promised_early(void **state)
{
	struct voter v = voter_yielding();

	(void)state;
	v.is_yielding = false;
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_HELD);
	assert_int_equal(v.promise.term, 5);
	assert_true(v.is_kept);
}

static void
next_is_granted_when_the_holder_gives_up(void **state)
{
	struct voter v = voter_promised();

	(void)state;
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_HELD);
	assert_true(voter_release(&v, A, 5));
	/* Without another write. */
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_NONE);
	assert_int_equal(v.holder.id, B.id);
	assert_int_equal(v.holder_term, 6);
	assert_false(v.promise.is_early);
	assert_true(v.guard_until == LATER + LEASE);
}

static void
next_is_granted_when_the_guard_is_over(void **state)
{
	struct voter v = voter_promised();

	(void)state;
	assert_int_equal(denial_of(&v, START + LEASE - 1, B, 6), DENIAL_HELD);
	assert_true(v.promise.is_early);
	assert_int_equal(denial_of(&v, START + LEASE, B, 6), DENIAL_NONE);
	assert_false(v.promise.is_early);
}

/* Given up before the disk was done. */
static void
promise_that_is_written_when_the_holder_gives_up_is_waited_for(void **state)
{
	struct voter v = voter_yielding();

	(void)state;
	claim(&v, LATER, B, 6, REQUEST_PENDING);
	assert_true(voter_release(&v, A, 5));
	claim(&v, LATER, B, 6, REQUEST_PENDING);
	assert_int_equal(v.holder.id, NODE_NONE);
	voter_kept(&v);
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_NONE);
}

/* Its lease is not renewed by that, nor any longer. */
static void
holder_is_told_that_its_next_is_promised(void **state)
{
	struct voter v = voter_promised();
	struct vote_response vote = claim(&v, LATER, A, 5, REQUEST_ANSWERED);

	(void)state;
	assert_int_equal(vote.denial, DENIAL_PROMISED);
	assert_int_equal(vote.promised, 6);
	assert_true(v.guard_until == START + LEASE);
	assert_int_equal(v.holder.id, A.id);
}

/* What is not durable yet may be forgotten: it leads on. */
static void
holder_is_not_told_before_its_next_is_promised_durably(void **state)
{
	struct voter v = voter_yielding();

	(void)state;
	claim(&v, LATER, B, 6, REQUEST_PENDING);
	claim(&v, LATER, A, 5, REQUEST_PENDING);
	voter_kept(&v);
	assert_int_equal(denial_of(&v, LATER, A, 5), DENIAL_PROMISED);
}

/* It was elected once more, above the other. */
static void
holder_takes_a_later_term_from_its_next(void **state)
{
	struct voter v = voter_promised();

	(void)state;
	grant(&v, LATER, A, 7);
	assert_false(v.promise.is_early);
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_PROMISED);
	assert_int_equal(v.holder_term, 7);
}

static void
later_claim_takes_an_early_promise_early(void **state)
{
	struct voter v = voter_promised();

	(void)state;
	claim(&v, LATER, C, 8, REQUEST_PENDING);
	voter_kept(&v);
	assert_true(v.promise.is_early);
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_PROMISED);
	assert_int_equal(denial_of(&v, LATER, C, 8), DENIAL_HELD);
	/* A's word is for its own terms, not for these. */
	assert_true(voter_release(&v, A, 5));
	assert_false(v.is_released);
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_PROMISED);
	assert_int_equal(denial_of(&v, LATER, C, 8), DENIAL_NONE);
}

static void
next_that_gives_up_frees_nobody_from_the_holder(void **state)
{
	struct voter v = voter_promised();

	(void)state;
	assert_false(voter_release(&v, B, 6));
	assert_true(v.is_released);
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_PROMISED);
	v.is_yielding = false;
	assert_int_equal(denial_of(&v, LATER, C, 7), DENIAL_HELD);
	assert_int_equal(v.holder.id, A.id);
}

/* It has forgotten whom it granted: that one may still lead. */
static void
restart_with_an_early_promise_lets_nobody_in(void **state)
{
	struct voter before = voter_promised(), v = restarted(&before);
	nsec_t over = LATER + LEASE;

	(void)state;
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_QUARANTINE);
	assert_int_equal(denial_of(&v, LATER, B, 7), DENIAL_QUARANTINE);
	assert_int_equal(denial_of(&v, LATER, A, 5), DENIAL_QUARANTINE);
	assert_int_equal(denial_of(&v, over - 1, B, 6), DENIAL_QUARANTINE);
	assert_int_equal(denial_of(&v, over, C, 6), DENIAL_PROMISED);
	assert_int_equal(denial_of(&v, over, B, 6), DENIAL_NONE);
}

/* Who was granted the term leads by it, and nobody else does. */
static void
restart_after_the_grant_lets_its_owner_in(void **state)
{
	struct voter before = voter_promised(), v;

	(void)state;
	voter_release(&before, A, 5);
	assert_int_equal(denial_of(&before, LATER, B, 6), DENIAL_NONE);
	v = restarted(&before);
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_NONE);
	assert_int_equal(denial_of(&v, LATER, A, 7), DENIAL_QUARANTINE);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(who_asks_is_told_that_it_would_be_granted),
	cmocka_unit_test(next_is_promised_durably_and_told_that_another_holds),
	cmocka_unit_test(without_room_nothing_is_promised_early),
	cmocka_unit_test(next_is_granted_when_the_holder_gives_up),
	cmocka_unit_test(next_is_granted_when_the_guard_is_over),
	cmocka_unit_test(
	    promise_that_is_written_when_the_holder_gives_up_is_waited_for),
	cmocka_unit_test(holder_is_told_that_its_next_is_promised),
	cmocka_unit_test(
	    holder_is_not_told_before_its_next_is_promised_durably),
	cmocka_unit_test(holder_takes_a_later_term_from_its_next),
	cmocka_unit_test(later_claim_takes_an_early_promise_early),
	cmocka_unit_test(next_that_gives_up_frees_nobody_from_the_holder),
	cmocka_unit_test(restart_with_an_early_promise_lets_nobody_in),
	cmocka_unit_test(restart_after_the_grant_lets_its_owner_in),
};

GROUP(tests);
