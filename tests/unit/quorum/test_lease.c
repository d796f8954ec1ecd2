/* SPDX-License-Identifier: ISC */
/* How long grants make a leader, and when it may say so (PROTOCOL.md, Lease).
 */
#include "tests/unit/group.h"

#include <string.h>

#include "common/quorum/lease.h"

#define VOTERS_MAX 7
#define LENGTH     (11 * SEC) /* ... of which 9 are the leader's */
#define WORTH      (9 * SEC)
#define START      (1000 * SEC) /* when the nominee requests the term */

/* A nominee and its voters' grants. */
struct stage {
	struct lease lease;
	struct grant grants[VOTERS_MAX];
};

static struct lease *
stage_set(struct stage *s, unsigned voters)
{
	lease_init(&s->lease, LENGTH, s->grants, voters);
	lease_check(&s->lease);
	return &s->lease;
}

/* Most cases begin with three voters. */
static int
set_up(void **state)
{
	static struct stage stage;

	*state = stage_set(&stage, 3);
	return 0;
}

/* A grant to a request of `term`, sent at `sent`, comes in at `now`. */
static enum lease_news
granted(struct lease *l, nsec_t now, unsigned voter, uint64_t term, nsec_t sent)
{
	const struct vote_response vote = { .term = term, .sent = sent };
	enum lease_news news = lease_grant(l, now, voter, &vote, true);

	lease_check(l);
	return news;
}

static void
expect(struct lease *l, nsec_t now, unsigned voter, uint64_t term, nsec_t sent,
    enum lease_news news)
{
	assert_int_equal(granted(l, now, voter, term, sent), news);
}

static void
expect_prevote(struct lease *l, nsec_t now, unsigned voter, uint64_t term,
    nsec_t sent, enum lease_news news)
{
	const struct vote_response vote = {
		.term = term, .sent = sent, .is_prevote = true
	};

	assert_int_equal(lease_grant(l, now, voter, &vote, true), news);
	lease_check(l);
}

/* Three voters grant the request of `now`; that changes nothing. */
static void
all_grant(struct lease *l, nsec_t now, uint64_t term)
{
	for (unsigned i = 0; i < 3; i++)
		expect(l, now, i, term, now, LEASE_SAME);
}

/* Requests a term at `now`, by pre-votes first if it holds none. */
static void
request(struct lease *l, nsec_t now, uint64_t term)
{
	lease_want(l, now, term);
	lease_check(l);
	assert_int_equal(l->is_prevote, l->held == 0);
	if (!l->is_prevote)
		return;
	for (unsigned i = 1; i < l->quorum; i++)
		expect_prevote(l, now, i, term, now, LEASE_SAME);
	expect_prevote(l, now, 0, term, now, LEASE_PREVOTE_WON);
	assert_true(lease_until(l) == 0);
	lease_request(l, now);
	lease_check(l);
}

/* Requests a term, and gets all grants at once. */
static void
win(struct lease *l, nsec_t now, uint64_t term)
{
	request(l, now, term);
	for (unsigned i = 1; i < l->quorum; i++)
		expect(l, now, i, term, now, LEASE_SAME);
	expect(l, now, 0, term, now, LEASE_WON);
}

/* Gives the end of a lease with this base, less the guard. */
static nsec_t
until_of(const struct lease *l, nsec_t base)
{
	return base + WORTH - l->guard;
}

static void
expect_until(const struct lease *l, nsec_t until)
{
	assert_true(lease_until(l) == until);
}

#define CASE(name) TEST(name, set_up)

CASE(no_node_leads_at_first)
{
	struct lease *l = *state;

	expect_until(l, 0);
	assert_true(lease_hand_out(l, START) == 0);
	request(l, START, 5);
	expect_until(l, 0);
	assert_true(lease_hand_out(l, START) == 0);
}

CASE(quorum_is_a_majority_of_the_voters)
{
	static const unsigned quorums[VOTERS_MAX + 1] = { 0, 1, 2, 2, 3, 3, 4,
		4 };

	for (unsigned voters = 1; voters <= VOTERS_MAX; voters++) {
		struct stage s;
		struct lease *l = stage_set(&s, voters);

		assert_int_equal(l->quorum, quorums[voters]);
		request(l, START, 5);
		for (unsigned i = 0; i + 1 < quorums[voters]; i++) {
			expect(l, START, i, 5, START, LEASE_SAME);
			expect_until(l, 0);
		}
		expect(l, START, voters - 1, 5, START, LEASE_WON);
		expect_until(l, until_of(l, START));
	}
}

/* Nine elevenths: both clocks may be off by a tenth, one each way. */
CASE(lease_is_shorter_than_what_voters_wait)
{
	static const nsec_t lengths[] = { 10 * MSEC, 2 * SEC, 7200 * SEC };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		nsec_t length = lengths[i], end;
		struct grant support;
		struct lease l;

		lease_init(&l, length, &support, 1);
		win(&l, START, 5);
		end = l.end - START;
		assert_true(end <= length * 9 / 11);
		assert_true(end > length * 9 / 11 - USEC);
		assert_true(l.guard > 0);
		assert_true(l.guard <= length / 5);
		assert_true(lease_until(&l) == l.end - l.guard);
	}
}

/* Two seconds give the figures of the proof: 1.636 s, 200 ms of guard. */
CASE(lease_of_two_seconds_is_that_of_the_proof)
{
	struct grant support;
	struct lease l;

	lease_init(&l, 2 * SEC, &support, 1);
	assert_true(l.guard == 200 * MSEC);
	win(&l, START, 5);
	assert_true((l.end - START) / MSEC == 1636);
	assert_true((lease_until(&l) - START) / MSEC == 1436);
}

/* Voters grant, in this order, requests that came in ever faster succession. */
static nsec_t
end_of(unsigned voters, const unsigned *order, const nsec_t *sent)
{
	struct stage s;
	struct lease *l = stage_set(&s, voters);

	request(l, START, 5);
	for (unsigned i = 0; i < voters; i++) {
		unsigned voter = order[i];
		nsec_t now = START + 2 * SEC + i * MSEC;

		granted(l, now, voter, 5, START + sent[voter]);
		granted(l, now, voter, 5, START + sent[voter]); /* doubled */
	}
	return lease_until(l);
}

/* Makes the order of this number, of all orders of n voters. */
static void
order_set(unsigned *order, unsigned n, unsigned number)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned at = number % (i + 1);

		number /= i + 1;
		order[i] = order[at];
		order[at] = i;
	}
}

/* Tries 1 to 7 voters and each order of their votes. */
CASE(lease_counts_from_the_qth_latest_request)
{
	static const nsec_t sent[VOTERS_MAX] = { 30 * MSEC, 70 * MSEC,
		10 * MSEC, 60 * MSEC, 20 * MSEC, 50 * MSEC, 40 * MSEC };
	static const nsec_t bases[VOTERS_MAX + 1] = { 0, 30 * MSEC, 30 * MSEC,
		30 * MSEC, 30 * MSEC, 30 * MSEC, 30 * MSEC, 40 * MSEC };
	unsigned orders = 1, order[VOTERS_MAX] = { 0 };

	for (unsigned voters = 1; voters <= VOTERS_MAX; voters++) {
		struct stage s;
		nsec_t until =
		    until_of(stage_set(&s, voters), START + bases[voters]);

		orders *= voters;
		for (unsigned number = 0; number < orders; number++) {
			order_set(order, voters, number);
			assert_true(end_of(voters, order, sent) == until);
		}
	}
}

/* This holds however late the grants come in. */
CASE(lease_never_counts_from_when_grants_come_in)
{
	struct lease *l = *state;

	request(l, START, 5);
	granted(l, START + SEC, 0, 5, START);
	expect(l, START + 7 * SEC, 1, 5, START + MSEC, LEASE_WON);
	expect_until(l, until_of(l, START));
	granted(l, START + 70 * SEC, 2, 5, START + 2 * MSEC);
	expect_until(l, until_of(l, START + MSEC));
}

/* Grants make no leader if the lease that they granted is over. */
CASE(grants_that_come_too_late_win_nothing)
{
	struct lease *l = *state;
	nsec_t late = until_of(l, START);

	request(l, START, 5);
	granted(l, late, 0, 5, START);
	expect(l, late, 1, 5, START, LEASE_SAME);
	assert_true(lease_until(l) <= late);
	assert_true(lease_hand_out(l, late) == 0);
	/* Later requests of the same term still may. */
	granted(l, late, 0, 5, late - SEC);
	expect(l, late, 1, 5, late - SEC, LEASE_WON);
	expect_until(l, until_of(l, late - SEC));
}

CASE(one_voter_counts_once)
{
	struct stage s;
	struct lease *l = stage_set(&s, 5);

	request(l, START, 5);
	for (unsigned i = 0; i < 20; i++)
		expect(l, START + i * MSEC, i % 2, 5, START + i * MSEC,
		    LEASE_SAME);
	expect_until(l, 0);
	expect(l, START + SEC, 4, 5, START + 20 * MSEC, LEASE_WON);
}

CASE(grants_of_other_requests_are_ignored)
{
	struct lease *l = *state;
	nsec_t now = START + SEC;

	request(l, START, 5);
	for (unsigned i = 0; i < 3; i++) {
		expect(l, now, i, 4, now, LEASE_SAME);
		expect(l, now, i, 6, now, LEASE_SAME);
		expect_prevote(l, now, i, 5, now, LEASE_SAME);
		/* The node sent the request before the term began, or has not
		 * sent it. */
		expect(l, now, i, 5, START - 1, LEASE_SAME);
		expect(l, now, i, 5, 0, LEASE_SAME);
		expect(l, now, i, 5, now + 1, LEASE_SAME);
		expect(l, now, i, 5, NSEC_NEVER, LEASE_SAME);
	}
	expect_until(l, 0);
	granted(l, now, 0, 5, now);
	expect(l, now, 1, 5, now, LEASE_WON);
}

/* A grant answers neither a pre-vote nor an earlier request. */
CASE(prevotes_win_nothing)
{
	struct lease *l = *state;
	nsec_t now = START + SEC;

	lease_want(l, START, 5);
	for (unsigned i = 0; i < 3; i++) {
		expect(l, now, i, 5, now, LEASE_SAME);
		expect_prevote(l, now, i, 4, now, LEASE_SAME);
		expect_prevote(l, now, i, 5, START - 1, LEASE_SAME);
	}
	expect_prevote(l, now, 1, 5, START, LEASE_SAME);
	expect_prevote(l, now, 2, 5, START, LEASE_PREVOTE_WON);
	expect_until(l, 0);
	/* A granted pre-vote is no grant. */
	lease_request(l, now);
	expect(l, now, 0, 5, now, LEASE_SAME);
	expect_until(l, 0);
}

CASE(renewals_move_the_end_with_the_requests)
{
	struct lease *l = *state;
	nsec_t at = START;

	win(l, START, 5);
	for (unsigned i = 0; i < 50; i++) {
		at += 100 * MSEC;
		expect(l, at + MSEC, i % 3, 5, at, LEASE_SAME);
		if (i > 0)
			assert_true(
			    lease_until(l) == until_of(l, at - 100 * MSEC));
	}
	/* An old grant comes late: nothing goes back. */
	granted(l, at + SEC, 0, 5, START + MSEC);
	granted(l, at + SEC, 1, 5, START + MSEC);
	expect_until(l, until_of(l, at - 100 * MSEC));
}

/* One voter that goes on granting keeps nobody a leader. */
CASE(minority_renews_nothing)
{
	struct stage s;
	struct lease *l = stage_set(&s, 5);

	win(l, START, 5);
	for (unsigned i = 1; i < 100; i++) {
		nsec_t at = START + i * 100 * MSEC;

		granted(l, at, 1, 5, at);
		granted(l, at, 4, 5, at);
	}
	expect_until(l, until_of(l, START));
	assert_true(lease_hand_out(l, until_of(l, START)) == 0);
}

CASE(later_term_is_requested_while_one_is_held)
{
	struct lease *l = *state;
	nsec_t now = START + SEC;

	win(l, START, 5);
	request(l, now, 9);
	assert_true(l->held == 5);
	expect_until(l, until_of(l, START));
	/* The earlier one is not renewed any more. */
	all_grant(l, now, 5);
	expect_until(l, until_of(l, START));
	expect(l, now, 0, 9, now, LEASE_SAME);
	expect_until(l, until_of(l, START));
	expect(l, now, 2, 9, now, LEASE_WON);
	assert_true(l->held == 9);
	expect_until(l, until_of(l, now));
}

/* Grants of a term that was given up make no leader. */
CASE(spent_terms_never_come_back)
{
	struct lease *l = *state;
	nsec_t now = START + SEC;

	win(l, START, 5);
	request(l, now, 9);
	assert_true(lease_drop(l, now) == now);
	lease_check(l);
	expect_until(l, 0);
	assert_true(lease_hand_out(l, now) == 0);
	assert_true(l->spent == 9);
	for (unsigned i = 0; i < 3; i++) {
		expect(l, now, i, 5, now, LEASE_SAME);
		expect(l, now, i, 9, now, LEASE_SAME);
		expect_prevote(l, now, i, 9, now, LEASE_SAME);
	}
	expect_until(l, 0);
	win(l, now, 10);
	expect_until(l, until_of(l, now));
}

/* A drop without a term forgets nothing that was spent before. */
CASE(drop_is_idempotent)
{
	struct lease *l = *state;

	lease_drop(l, START);
	assert_true(l->spent == 0);
	win(l, START, 5);
	lease_drop(l, START);
	lease_drop(l, START);
	lease_check(l);
	assert_true(l->spent == 5);
}
