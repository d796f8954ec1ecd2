/* SPDX-License-Identifier: ISC */
/* The lines of "on REQUEST" (PROTOCOL.md, Voter), one after another. */

#include "tests/unit/group.h"

#include "common/quorum/voter.h"

#define LEASE (2 * SEC)
#define START (10 * SEC) /* when the stage is set */

static const struct owner A = { .id = 1, .incarnation = 10 };
static const struct owner A_AGAIN = { .id = 1,
	.incarnation = 11 }; /* a later life of A's */
static const struct owner B = { .id = 2, .incarnation = 20 };

/* The voter and all nominees have this configuration. */
static const struct config_id SAME = { .config_version = 3 };

enum stage {
	NEW,         /* has never promised anything */
	RESTARTED,   /* promised 5 to A before its last start */
	QUARANTINED, /* likewise, and A's lease may run until START + LEASE */
	PENDING,     /* 5 is promised to A, but not yet durable */
	HELD,        /* 5 is granted to A */
	RELEASED,    /* A has given 5 up */
	FORGETFUL,   /* its durable state is not sound */
};

static struct voter
stage_set(enum stage stage)
{
	const struct vote_request request = {
		.term = 5, .lease = LEASE, .config_id = SAME
	};
	struct promise promise = { 0 };
	struct voter v;
	struct vote_response vote;

	if (stage == RESTARTED || stage == QUARANTINED)
		promise = (struct promise){ .term = 5, .owner = A };
	voter_init(&v, &promise, stage != FORGETFUL, LEASE, &SAME,
	    stage == QUARANTINED ? START + LEASE : 0);
	if (stage < PENDING || stage > RELEASED)
		return v;
	voter_answer(&v, START, A, &request, &vote);
	if (stage == PENDING)
		return v;
	voter_kept(&v);
	voter_answer(&v, START, A, &request, &vote);
	if (stage == RELEASED)
		voter_release(&v, A, 5);
	return v;
}

/* The answer to one request. */
struct row {
	enum stage stage;
	nsec_t after; /* after START */
	const struct owner *nominee;
	uint64_t term;
	enum denial denial;
	unsigned wait_ms;
};

/* Granted, once the promise is durable. */
#define LATER DENIALS

/* Denied by the promise of another, once that is durable. */
#define WAITS (DENIALS + 1)

static const struct row rows[] = {
	/* Nothing was ever promised: any term, within reason. */
	{ NEW, 0, &A, 1, LATER, 0 },
	{ NEW, 0, &A, 7, LATER, 0 },
	{ NEW, 0, &A, TERM_JUMP_MAX, LATER, 0 },
	{ NEW, 0, &A, TERM_JUMP_MAX + 1, LATER, 0 },
	{ NEW, 0, &A, TERM_MAX, LATER, 0 },
	/* A promise of its last life. */
	{ RESTARTED, 0, &A, 5, DENIAL_NONE, 0 },
	{ RESTARTED, 0, &A, 6, LATER, 0 },
	{ RESTARTED, 0, &A, 4, DENIAL_PROMISED, 0 },
	{ RESTARTED, 0, &A_AGAIN, 5, DENIAL_PROMISED, 0 },
	{ RESTARTED, 0, &A_AGAIN, 6, LATER, 0 },
	{ RESTARTED, 0, &B, 1, DENIAL_PROMISED, 0 },
	{ RESTARTED, 0, &B, 5, DENIAL_PROMISED, 0 },
	{ RESTARTED, 0, &B, 6, LATER, 0 },
	{ RESTARTED, 0, &B, 5 + TERM_JUMP_MAX, LATER, 0 },
	{ RESTARTED, 0, &B, 6 + TERM_JUMP_MAX, LATER, 0 },
	/* In quarantine: nobody but the promise's owner. */
	{ QUARANTINED, 0, &A, 5, DENIAL_NONE, 0 },
	{ QUARANTINED, 0, &A, 6, LATER, 0 },
	{ QUARANTINED, 0, &A, 4, DENIAL_PROMISED, 0 },
	{ QUARANTINED, 0, &A_AGAIN, 6, DENIAL_QUARANTINE, 2000 },
	{ QUARANTINED, 0, &B, 4, DENIAL_QUARANTINE, 2000 },
	{ QUARANTINED, 0, &B, 6, DENIAL_QUARANTINE, 2000 },
	{ QUARANTINED, LEASE - 1, &B, 6, DENIAL_QUARANTINE, 1 },
	{ QUARANTINED, LEASE, &B, 6, LATER, 0 },
	{ QUARANTINED, LEASE, &B, 5, DENIAL_PROMISED, 0 },
	/* A's lease runs. */
	{ HELD, 0, &A, 5, DENIAL_NONE, 0 },
	{ HELD, 0, &A, 4, DENIAL_PROMISED, 0 },
	{ HELD, 0, &A, 6, LATER, 0 },
	{ HELD, 0, &A, 6 + TERM_JUMP_MAX, LATER, 0 },
	{ HELD, 0, &A_AGAIN, 5, DENIAL_PROMISED, 0 },
	{ HELD, 0, &A_AGAIN, 6, DENIAL_HELD, 2000 },
	{ HELD, 0, &B, 4, DENIAL_PROMISED, 0 },
	{ HELD, 0, &B, 5, DENIAL_PROMISED, 0 },
	{ HELD, 0, &B, 6, DENIAL_HELD, 2000 },
	{ HELD, SEC, &B, 6, DENIAL_HELD, 1000 },
	{ HELD, LEASE - 1, &B, 6, DENIAL_HELD, 1 },
	/* A wait is told in milliseconds, and never too short. */
	{ HELD, 1, &B, 6, DENIAL_HELD, 2000 },
	{ HELD, MSEC, &B, 6, DENIAL_HELD, 1999 },
	{ HELD, MSEC + 1, &B, 6, DENIAL_HELD, 1999 },
	{ HELD, LEASE - MSEC, &B, 6, DENIAL_HELD, 1 },
	/* A's lease is over. */
	{ HELD, LEASE, &B, 6, LATER, 0 },
	{ HELD, LEASE, &B, 5, DENIAL_PROMISED, 0 },
	{ HELD, LEASE, &A_AGAIN, 6, LATER, 0 },
	{ HELD, LEASE, &A, 5, DENIAL_NONE, 0 },
	{ HELD, 100 * LEASE, &B, 5, DENIAL_PROMISED, 0 },
	/* A has given the term up: nobody gets it any more. */
	{ RELEASED, 0, &A, 5, DENIAL_PROMISED, 0 },
	{ RELEASED, 100 * LEASE, &A, 5, DENIAL_PROMISED, 0 },
	{ RELEASED, 0, &B, 5, DENIAL_PROMISED, 0 },
	{ RELEASED, 0, &B, 6, LATER, 0 },
	{ RELEASED, 0, &A, 6, LATER, 0 },
	{ RELEASED, 0, &A_AGAIN, 6, LATER, 0 },
	/* Promised, but not durable yet. */
	{ PENDING, 0, &A, 5, LATER, 0 },
	{ PENDING, 100 * LEASE, &A, 5, LATER, 0 },
	{ PENDING, 0, &A, 4, WAITS, 0 },
	{ PENDING, 0, &B, 5, WAITS, 0 },
	{ PENDING, 0, &A_AGAIN, 5, WAITS, 0 },
	/* Without a sound state the answer is always the same. */
	{ FORGETFUL, 0, &A, 1, DENIAL_STATE_FILE, 0 },
	{ FORGETFUL, 0, &B, 6, DENIAL_STATE_FILE, 0 },
	{ FORGETFUL, 100 * LEASE, &B, 6, DENIAL_STATE_FILE, 0 },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* True if both voters will do the same. */
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

/* The answer to a row's request: DENIAL_NONE, or why not; or LATER. */
static enum denial
row_answer(const struct row *row, bool is_prevote, struct voter *v)
{
	const struct vote_request request = {
		.term = row->term,
		.sent = 777,
		.is_prevote = is_prevote,
		.lease = LEASE,
		.config_id = SAME,
	};
	const struct voter before = *v;
	struct vote_response vote = { .denial = DENIALS };
	enum request_outcome receipt =
	    voter_answer(v, START + row->after, *row->nominee, &request, &vote);

	voter_check(v);
	if (receipt == REQUEST_PENDING)
		return is_unchanged(&before, v) && (int)row->denial == WAITS
			   ? WAITS
			   : LATER;
	assert_true(vote.term == row->term);
	assert_true(vote.sent == 777);
	assert_int_equal(vote.is_prevote, is_prevote);
	assert_int_equal(vote.wait_ms, row->wait_ms);
	assert_true(vote.promised == before.promise.term);
	if (is_prevote || vote.denial != DENIAL_NONE)
		assert_true(is_unchanged(&before, v));
	return vote.denial;
}

TEST(requests_are_answered_as_the_table_says)
{
	for (size_t i = 0; i < ROWS; i++) {
		struct voter v = stage_set(rows[i].stage);
		enum denial denial = row_answer(&rows[i], false, &v);

		if (denial != rows[i].denial)
			fail_msg("row %zu: %d", i, (int)denial);
		if (denial != LATER)
			continue;
		assert_false(v.is_kept);
		assert_true(v.promise.term == rows[i].term);
		assert_int_equal(v.promise.owner.id, rows[i].nominee->id);
	}
}

/* A pre-vote gets the answer of a binding request, and changes nothing. */
TEST(prevotes_are_answered_alike_and_change_nothing)
{
	for (size_t i = 0; i < ROWS; i++) {
		struct voter v = stage_set(rows[i].stage);
		enum denial denial = row_answer(&rows[i], true, &v);
		enum denial expected = rows[i].denial;

		if (expected == LATER)
			expected = DENIAL_NONE;
		if ((int)expected == WAITS)
			expected = DENIAL_PROMISED;
		if (denial != expected)
			fail_msg("row %zu: %d", i, (int)denial);
	}
}
