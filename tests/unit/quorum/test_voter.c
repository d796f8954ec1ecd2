/* SPDX-License-Identifier: ISC */
/* Which promises a voter gives, and when it grants (PROTOCOL.md, Voter). */
#include "tests/unit/group.h"

#include <stdio.h>
#include <string.h>

#include "common/quorum/voter.h"

#define LEASE (2 * SEC)
#define START (10 * SEC) /* when the stage is set */

static const struct owner A = { 1, 10 };
static const struct owner A_AGAIN = { 1, 11 }; /* a later life of A's */
static const struct owner B = { 2, 20 };
static const struct owner NOBODY = { NODE_NONE, 0 };

/* That of the voter and of all nominees. */
static const struct edition SAME = { .generation = 3 };

/* A voter whose last promise is of `term` to `owner`; 0: none was given. */
static struct voter
voter_of(uint64_t term, struct owner owner, nsec_t quarantine_until)
{
	const struct promise promise = { term, owner, false };
	struct voter v;

	voter_init(&v, &promise, true, LEASE, &SAME, quarantine_until);
	voter_check(&v);
	return v;
}

static enum request_outcome
answer_to(struct voter *v, nsec_t now, struct owner nominee,
    const struct vote_request *request, struct vote_response *vote)
{
	enum request_outcome receipt =
	    voter_answer(v, now, nominee, request, vote);

	voter_check(v);
	return receipt;
}

static struct vote_request
request_of(uint64_t term, nsec_t sent)
{
	return (struct vote_request){
		.term = term, .sent = sent, .lease = LEASE, .edition = SAME
	};
}

/* The answer to a binding request that the voter answers at once. */
static struct vote_response
answer(struct voter *v, nsec_t now, struct owner nominee, uint64_t term)
{
	const struct vote_request request = request_of(term, now + 12345);
	struct vote_response vote;

	assert_int_equal(
	    answer_to(v, now, nominee, &request, &vote), REQUEST_ANSWERED);
	assert_true(vote.term == term);
	assert_true(vote.sent == request.sent);
	assert_false(vote.is_prevote);
	return vote;
}

static void
expect(struct voter *v, nsec_t now, struct owner nominee, uint64_t term,
    enum denial denial)
{
	assert_int_equal(answer(v, now, nominee, term).denial, denial);
}

static bool
is_pending(struct voter *v, nsec_t now, struct owner nominee, uint64_t term)
{
	const struct vote_request request = request_of(term, now);
	struct vote_response vote;

	return answer_to(v, now, nominee, &request, &vote) == REQUEST_PENDING;
}

/* Gives a new promise, which is written first, and then the grant. */
static void
grant(struct voter *v, nsec_t now, struct owner nominee, uint64_t term)
{
	assert_true(is_pending(v, now, nominee, term));
	voter_kept(v);
	voter_check(v);
	expect(v, now, nominee, term, DENIAL_NONE);
}

/* Term 5 is A's, granted at START: its lease may run until START + LEASE. */
static struct voter
voter_held(void)
{
	struct voter v = voter_of(0, NOBODY, 0);

	grant(&v, START, A, 5);
	return v;
}

static struct voter
voter_released(void)
{
	struct voter v = voter_held();

	voter_release(&v, A, 5);
	voter_check(&v);
	return v;
}

static struct voter
voter_pending(void)
{
	struct voter v = voter_of(0, NOBODY, 0);

	assert_true(is_pending(&v, START, A, 5));
	return v;
}

/* True if both voters do the same, apart from what they have remembered. */
static bool
is_unchanged(const struct voter *a, const struct voter *b)
{
	return a->votes == b->votes && a->promise.term == b->promise.term &&
	       a->promise.owner.id == b->promise.owner.id &&
	       a->promise.owner.incarnation == b->promise.owner.incarnation &&
	       a->is_kept == b->is_kept && a->is_released == b->is_released &&
	       a->holder.id == b->holder.id &&
	       a->holder.incarnation == b->holder.incarnation &&
	       a->guard_until == b->guard_until &&
	       a->quarantine_until == b->quarantine_until;
}

/* However often, and however late, a nominee requests it. */
TEST(nothing_is_granted_before_it_is_durable)
{
	struct voter v = voter_of(0, NOBODY, 0);

	for (nsec_t at = START; at < START + 10 * SEC; at += SEC)
		assert_true(is_pending(&v, at, A, 5));
	assert_int_equal(v.holder.id, NODE_NONE);
	voter_kept(&v);
	assert_true(v.is_kept);
	expect(&v, START + 10 * SEC, A, 5, DENIAL_NONE);
}

/* The guard counts from after the sync, not from the first request. */
TEST(guard_counts_from_the_grant)
{
	struct voter v = voter_of(0, NOBODY, 0);
	nsec_t granted = START + 3 * SEC;

	assert_true(is_pending(&v, START, A, 5));
	voter_kept(&v);
	expect(&v, granted, A, 5, DENIAL_NONE);
	expect(&v, granted + LEASE - 1, B, 6, DENIAL_HELD);
	assert_true(is_pending(&v, granted + LEASE, B, 6));
}

TEST(each_renewal_moves_the_guard)
{
	struct voter v = voter_held();
	nsec_t at = START;

	for (int i = 0; i < 50; i++) {
		at += 100 * MSEC;
		expect(&v, at, A, 5, DENIAL_NONE);
		assert_true(v.is_kept); /* nothing is written */
	}
	expect(&v, at + LEASE - 1, B, 6, DENIAL_HELD);
	assert_true(is_pending(&v, at + LEASE, B, 6));
}

/* A wait is told in milliseconds, and never too short. */
TEST(waits_are_rounded_up)
{
	struct voter v = voter_held();

	assert_int_equal(answer(&v, START + 1, B, 6).wait_ms, 2000);
	assert_int_equal(answer(&v, START + MSEC, B, 6).wait_ms, 1999);
	assert_int_equal(answer(&v, START + MSEC + 1, B, 6).wait_ms, 1999);
	assert_int_equal(answer(&v, START + LEASE - MSEC, B, 6).wait_ms, 1);
}

TEST(higher_request_replaces_a_pending_promise)
{
	struct voter v = voter_pending();

	assert_true(is_pending(&v, START, B, 6));
	assert_true(v.promise.term == 6);
	assert_int_equal(v.promise.owner.id, B.id);
	/* The voter denies nobody by a promise that it may forget. */
	assert_true(is_pending(&v, START, A, 5));
	voter_kept(&v);
	expect(&v, START, A, 5, DENIAL_PROMISED);
	expect(&v, START, B, 6, DENIAL_NONE);
	expect(&v, START, A, 7, DENIAL_HELD);
}

TEST(holder_goes_on_to_a_later_term_while_its_lease_runs)
{
	struct voter v = voter_held();

	grant(&v, START + SEC, A, 9);
	expect(&v, START + SEC, A, 5, DENIAL_PROMISED);
	expect(&v, START + SEC + LEASE - 1, B, 10, DENIAL_HELD);
	assert_true(is_pending(&v, START + SEC + LEASE, B, 10));
}

/* The lease runs on while the later term is being written. */
TEST(guard_of_the_earlier_term_holds_while_the_later_is_pending)
{
	struct voter v = voter_held();

	assert_true(is_pending(&v, START + SEC, A, 9));
	expect(&v, START + LEASE - 1, B, 10, DENIAL_HELD);
	assert_true(is_pending(&v, START + LEASE, B, 10));
}

/* B's promise replaces A's, but B has not been granted yet: A's guard. */
TEST(pending_promise_of_another_frees_nobody)
{
	struct voter v = voter_held();

	assert_true(is_pending(&v, START + LEASE, B, 6));
	assert_true(is_pending(&v, START + LEASE, A, 5));
	voter_release(&v, A, 5);
	voter_kept(&v);
	expect(&v, START + LEASE, B, 6, DENIAL_NONE);
	voter_release(&v, A, 5);
	expect(&v, START + LEASE, A, 7, DENIAL_HELD);
	expect(&v, START + LEASE, B, 6, DENIAL_NONE);
}

TEST(owner_that_releases_lets_others_in_at_once)
{
	struct voter v = voter_held();

	voter_release(&v, A, 5);
	voter_check(&v);
	grant(&v, START, B, 6);
	expect(&v, START, A, 7, DENIAL_HELD);
}

/* Only A's word, as this very process, counts; not of an earlier term. */
TEST(releases_that_are_not_the_holders_change_nothing)
{
	static const struct promise told[] = {
		{ 5, { 2, 20 }, false }, /* B's */
		{ 5, { 1, 11 }, false }, /* by A's later life */
		{ 5, { 1, 9 }, false },  /* and an earlier */
		{ 4, { 1, 10 }, false }, /* of an earlier term */
		{ 9, { 2, 10 }, false }, /* A's incarnation, B's id */
	};

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		struct voter v = voter_held(), before = v;

		voter_release(&v, told[i].owner, told[i].term);
		voter_check(&v);
		assert_true(is_unchanged(&before, &v));
		expect(&v, START, B, 6, DENIAL_HELD);
		expect(&v, START, A, 5, DENIAL_NONE);
	}
}

/* A release covers every term up to its own. */
TEST(release_of_a_later_term_covers_the_earlier)
{
	struct voter v = voter_held();

	voter_release(&v, A, 8);
	voter_check(&v);
	expect(&v, START, A, 5, DENIAL_PROMISED);
	assert_true(is_pending(&v, START, B, 6));
}

/* A late release of a term before the present one. */
TEST(release_of_the_earlier_term_leaves_the_later)
{
	struct voter v = voter_held();

	grant(&v, START + SEC, A, 9);
	voter_release(&v, A, 5);
	expect(&v, START + SEC, B, 10, DENIAL_HELD);
	expect(&v, START + SEC, A, 9, DENIAL_NONE);
}

TEST(term_that_was_released_is_never_granted_again)
{
	struct voter v = voter_released();

	expect(&v, START, A, 5, DENIAL_PROMISED);
	expect(&v, START + 9 * LEASE, A, 5, DENIAL_PROMISED);
	voter_release(&v, A, 5); /* a second time */
	expect(&v, START, A, 5, DENIAL_PROMISED);
	grant(&v, START, A, 6);
}

/* The owner gives up while its promise is being written. */
TEST(promise_released_before_it_is_durable_is_never_granted)
{
	struct voter v = voter_pending();
	const struct vote_request request = request_of(5, START);
	struct vote_response vote = { 0 };
	enum request_outcome receipt;

	voter_release(&v, A, 5);
	voter_check(&v);
	receipt = answer_to(&v, START, A, &request, &vote);
	assert_true(
	    receipt == REQUEST_PENDING || vote.denial == DENIAL_PROMISED);
	voter_kept(&v);
	voter_check(&v);
	expect(&v, START, A, 5, DENIAL_PROMISED);
	grant(&v, START, B, 6);
}

/* A restart knows no releases: the quarantine guards every earlier grant. */
TEST(quarantine_lets_its_owner_go_and_then_others_in)
{
	struct voter v = voter_of(5, A, START + LEASE);

	expect(&v, START, A, 5, DENIAL_NONE);
	expect(&v, START + SEC, B, 6, DENIAL_QUARANTINE);
	/* A's renewed lease outlives the quarantine. */
	expect(&v, START + SEC, A, 5, DENIAL_NONE);
	expect(&v, START + LEASE, B, 6, DENIAL_HELD);
	assert_true(is_pending(&v, START + SEC + LEASE, B, 6));
}

/* Nothing was promised, but a grant may be lost with the durable state. */
TEST(quarantine_without_a_promise_is_for_all)
{
	struct voter v = voter_of(0, NOBODY, START + LEASE);

	expect(&v, START, A, 1, DENIAL_QUARANTINE);
	expect(&v, START, B, 6, DENIAL_QUARANTINE);
	grant(&v, START + LEASE, B, 6);
}

/* A term has one owner, through any number of restarts. */
TEST(restart_keeps_the_promise)
{
	struct voter v = voter_held(), again;

	voter_init(&again, &v.promise, true, LEASE, &SAME, START + LEASE);
	assert_true(again.is_kept);
	assert_int_equal(again.holder.id, NODE_NONE);
	expect(&again, START + LEASE, B, 5, DENIAL_PROMISED);
	expect(&again, START + LEASE, A_AGAIN, 5, DENIAL_PROMISED);
	expect(&again, START + LEASE, A, 4, DENIAL_PROMISED);
}
