/* SPDX-License-Identifier: ISC */
/*
 * A voter whose holder hands over promises the successor its term while the
 * holder still leads, and grants the term afterwards, not before (PROTOCOL.md,
 * Early promises).
 */

#include "tests/unit/group.h"

#include "common/quorum/voter.h"

#define LEASE (2 * SEC)
#define START (10 * SEC) /* when the holder got its grant */
#define LATER (START + SEC)

static const struct owner A = { 1, 10 };
static const struct owner B = { 2, 20 };
static const struct owner C = { 3, 30 };

/* That of the voter and of all nominees. */
static const struct edition SAME = { .generation = 3 };

static struct vote_response
answer(struct voter *v, nsec_t now, struct owner nominee,
    const struct vote_request *request, enum request_outcome expected)
{
	struct vote_response vote;

	assert_int_equal(
	    voter_answer(v, now, nominee, request, &vote), expected);
	voter_check(v);
	return vote;
}

static struct vote_response
request(struct voter *v, nsec_t now, struct owner nominee, uint64_t term,
    enum request_outcome expected)
{
	const struct vote_request r = {
		.term = term, .sent = now, .lease = LEASE, .edition = SAME
	};

	return answer(v, now, nominee, &r, expected);
}

static enum denial
denial_of(struct voter *v, nsec_t now, struct owner nominee, uint64_t term)
{
	return request(v, now, nominee, term, REQUEST_ANSWERED).denial;
}

static void
grant(struct voter *v, nsec_t now, struct owner nominee, uint64_t term)
{
	request(v, now, nominee, term, REQUEST_PENDING);
	voter_kept(v);
	assert_int_equal(denial_of(v, now, nominee, term), DENIAL_NONE);
}

/* A voter whose holder is A, in term 5. A hands over. */
static struct voter
voter_yielding(void)
{
	const struct promise none = { .term = 0 };
	struct voter v;

	voter_init(&v, &none, true, LEASE, &SAME, 0);
	grant(&v, START, A, 5);
	v.is_yielding = true;
	return v;
}

/* The same, and the voter has promised term 6 to B, durably. */
static struct voter
voter_promised(void)
{
	struct voter v = voter_yielding();

	request(&v, LATER, B, 6, REQUEST_PENDING);
	voter_kept(&v);
	return v;
}

static struct voter
restarted(const struct voter *v)
{
	struct voter again;

	voter_init(&again, &v->promise, true, LEASE, &SAME, LATER + LEASE);
	return again;
}

TEST(prevote_of_the_successor_is_granted)
{
	const struct vote_request prevote = {
		.term = 6,
		.sent = LATER,
		.is_prevote = true,
		.lease = LEASE,
		.edition = SAME,
	};
	struct voter v = voter_yielding(), held = voter_yielding();
	struct vote_response vote =
	    answer(&v, LATER, B, &prevote, REQUEST_ANSWERED);

	assert_int_equal(vote.denial, DENIAL_NONE);
	assert_true(vote.is_prevote);
	assert_int_equal(v.promise.term, 5);
	assert_true(v.is_kept);
	/* Not while the holder stays. */
	held.is_yielding = false;
	vote = answer(&held, LATER, B, &prevote, REQUEST_ANSWERED);
	assert_int_equal(vote.denial, DENIAL_HELD);
}

TEST(successor_gets_a_durable_promise_and_a_denial)
{
	struct voter v = voter_yielding();
	struct vote_response vote;

	request(&v, LATER, B, 6, REQUEST_PENDING);
	assert_true(v.promise.is_early);
	assert_int_equal(v.promise.term, 6);
	assert_false(v.is_kept);
	request(&v, LATER, B, 6, REQUEST_PENDING);
	voter_kept(&v);
	vote = request(&v, LATER, B, 6, REQUEST_ANSWERED);
	assert_int_equal(vote.denial, DENIAL_HELD);
	assert_int_equal(vote.promised, 6);
	assert_int_equal(vote.wait_ms, 1000);
	assert_int_equal(v.holder.id, A.id);
	assert_int_equal(v.holder_term, 5);
}

TEST(nothing_is_promised_early_while_the_holder_stays)
{
	struct voter v = voter_yielding();

	v.is_yielding = false;
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_HELD);
	assert_int_equal(v.promise.term, 5);
	assert_true(v.is_kept);
}

TEST(successor_is_granted_when_the_holder_gives_up)
{
	struct voter v = voter_promised();

	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_HELD);
	assert_true(voter_release(&v, A, 5));
	/* Without another write. */
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_NONE);
	assert_int_equal(v.holder.id, B.id);
	assert_int_equal(v.holder_term, 6);
	assert_false(v.promise.is_early);
	assert_true(v.guard_until == LATER + LEASE);
}

TEST(successor_is_granted_when_the_guard_is_over)
{
	struct voter v = voter_promised();

	assert_int_equal(denial_of(&v, START + LEASE - 1, B, 6), DENIAL_HELD);
	assert_true(v.promise.is_early);
	assert_int_equal(denial_of(&v, START + LEASE, B, 6), DENIAL_NONE);
	assert_false(v.promise.is_early);
}

/* The holder gives up before the disk is done. */
TEST(grant_waits_for_a_promise_that_is_being_written)
{
	struct voter v = voter_yielding();

	request(&v, LATER, B, 6, REQUEST_PENDING);
	assert_true(voter_release(&v, A, 5));
	request(&v, LATER, B, 6, REQUEST_PENDING);
	assert_int_equal(v.holder.id, NODE_NONE);
	voter_kept(&v);
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_NONE);
}

/* The denial renews nothing. */
TEST(holder_is_denied_by_the_promise_to_its_successor)
{
	struct voter v = voter_promised();
	struct vote_response vote = request(&v, LATER, A, 5, REQUEST_ANSWERED);

	assert_int_equal(vote.denial, DENIAL_PROMISED);
	assert_int_equal(vote.promised, 6);
	assert_true(v.guard_until == START + LEASE);
	assert_int_equal(v.holder.id, A.id);
}

/* The voter may forget what is not durable: the holder leads on. */
TEST(holder_is_not_denied_before_that_promise_is_durable)
{
	struct voter v = voter_yielding();

	request(&v, LATER, B, 6, REQUEST_PENDING);
	request(&v, LATER, A, 5, REQUEST_PENDING);
	voter_kept(&v);
	assert_int_equal(denial_of(&v, LATER, A, 5), DENIAL_PROMISED);
}

/* The holder was elected once more, above the successor. */
TEST(holder_takes_a_later_term_from_its_successor)
{
	struct voter v = voter_promised();

	grant(&v, LATER, A, 7);
	assert_false(v.promise.is_early);
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_PROMISED);
	assert_int_equal(v.holder_term, 7);
}

TEST(later_request_replaces_an_early_promise)
{
	struct voter v = voter_promised();

	request(&v, LATER, C, 8, REQUEST_PENDING);
	voter_kept(&v);
	assert_true(v.promise.is_early);
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_PROMISED);
	assert_int_equal(denial_of(&v, LATER, C, 8), DENIAL_HELD);
	/* A releases its own terms only. */
	assert_true(voter_release(&v, A, 5));
	assert_false(v.is_released);
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_PROMISED);
	assert_int_equal(denial_of(&v, LATER, C, 8), DENIAL_NONE);
}

TEST(successor_that_gives_up_frees_no_voter_from_the_holder)
{
	struct voter v = voter_promised();

	assert_false(voter_release(&v, B, 6));
	assert_true(v.is_released);
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_PROMISED);
	v.is_yielding = false;
	assert_int_equal(denial_of(&v, LATER, C, 7), DENIAL_HELD);
	assert_int_equal(v.holder.id, A.id);
}

/* The voter has forgotten which owner it granted: that one may still lead. */
TEST(restart_with_an_early_promise_grants_no_other)
{
	struct voter before = voter_promised(), v = restarted(&before);
	nsec_t over = LATER + LEASE;

	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_QUARANTINE);
	assert_int_equal(denial_of(&v, LATER, B, 7), DENIAL_QUARANTINE);
	assert_int_equal(denial_of(&v, LATER, A, 5), DENIAL_QUARANTINE);
	assert_int_equal(denial_of(&v, over - 1, B, 6), DENIAL_QUARANTINE);
	assert_int_equal(denial_of(&v, over, C, 6), DENIAL_PROMISED);
	assert_int_equal(denial_of(&v, over, B, 6), DENIAL_NONE);
}

/* The owner that was granted the term may lead; nobody else may. */
TEST(restart_after_the_grant_lets_its_owner_in)
{
	struct voter before = voter_promised(), v;

	voter_release(&before, A, 5);
	assert_int_equal(denial_of(&before, LATER, B, 6), DENIAL_NONE);
	v = restarted(&before);
	assert_int_equal(denial_of(&v, LATER, B, 6), DENIAL_NONE);
	assert_int_equal(denial_of(&v, LATER, A, 7), DENIAL_QUARANTINE);
}
