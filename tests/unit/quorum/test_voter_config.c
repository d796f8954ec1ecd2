/* SPDX-License-Identifier: ISC */
/*
 * A voter and the configurations of nominees: which it denies, and what a
 * change of its own configuration and lease does (PROTOCOL.md, Changes of
 * voters).
 */

#include "tests/unit/group.h"

#include "common/quorum/voter.h"

#define LEASE (2 * SEC)
#define START (10 * SEC) /* when the stage is set */

static const struct owner A = { .id = 1, .incarnation = 10 };
static const struct owner B = { .id = 2, .incarnation = 20 };

/* The voter has one of these configurations. */
static const struct config_id stamped = { .config_term = 5,
	.config_version = 3 };
static const struct config_id unstamped = { .config_version = 3 };

static struct voter
voter_with(const struct config_id *config_id)
{
	const struct promise none = { .term = 0 };
	struct voter v;

	voter_init(&v, &none, true, LEASE, config_id, 0);
	voter_check(&v);
	return v;
}

static enum request_outcome
ask(struct voter *v, nsec_t now, struct owner nominee,
    const struct vote_request *request, struct vote_response *vote)
{
	enum request_outcome outcome =
	    voter_answer(v, now, nominee, request, vote);

	voter_check(v);
	return outcome;
}

/* Requests a term with the lease and the configuration of the voter. */
static enum request_outcome
ask_term(struct voter *v, nsec_t now, struct owner nominee, uint64_t term,
    struct vote_response *vote)
{
	const struct vote_request request = { .term = term,
		.sent = 1,
		.lease = v->lease,
		.config_id = v->config_id };

	return ask(v, now, nominee, &request, vote);
}

static void
grant(struct voter *v, nsec_t now, struct owner nominee, uint64_t term)
{
	struct vote_response vote;

	if (ask_term(v, now, nominee, term, &vote) == REQUEST_PENDING) {
		voter_kept(v);
		assert_int_equal(
		    ask_term(v, now, nominee, term, &vote), REQUEST_ANSWERED);
	}
	assert_int_equal(vote.denial, DENIAL_NONE);
}

static void
expect(struct voter *v, nsec_t now, struct owner nominee, uint64_t term,
    enum denial denial)
{
	struct vote_response vote;

	assert_int_equal(
	    ask_term(v, now, nominee, term, &vote), REQUEST_ANSWERED);
	assert_int_equal(vote.denial, denial);
}

/* A nominee's configuration, and whether a voter denies it for that. */
struct row {
	const struct config_id *own;
	struct config_id nominees;
	bool is_denied;
};

static const struct row rows[] = {
	{ &stamped, { 5, 3, 0, { 0 } }, false },
	{ &stamped, { 5, 3, 0, { 1 } },
	    false }, /* by its digest the later one */
	{ &stamped, { 5, 4, 0, { 0 } }, false },
	{ &stamped, { 5, 3, 1, { 0 } }, false },
	{ &stamped, { 6, 0, 0, { 0 } }, false },
	{ &stamped, { TERM_MAX, CONFIG_VERSION_MAX, 0, { 9 } }, false },
	{ &stamped, { 5, 2, 0, { 9 } }, true },
	{ &stamped, { 5, 2, 9, { 9 } }, true },
	{ &stamped, { 4, 9, 0, { 9 } }, true },
	{ &stamped, { 0, 3, 0, { 1 } }, true },
	{ &stamped, { 0, 9, 0, { 9 } }, true },
	{ &stamped, { 0, 9, 0, { 0 } }, true },
	/* The file that has taken the place of a configuration with that
	 * config term. */
	{ &stamped, { 0, 3, 0, { 0 } }, false },
	{ &stamped, { 0, 3, 1, { 0 } }, true },
	{ &unstamped, { 0, 3, 0, { 0 } }, false },
	{ &unstamped, { 1, 3, 0, { 0 } }, false },
	{ &unstamped, { 1, 4, 0, { 0 } }, false },
	{ &unstamped, { 9, 2, 0, { 0 } },
	    true }, /* perhaps ruled out long ago */
	{ &unstamped, { 0, 3, 0, { 1 } }, true },
	{ &unstamped, { 0, 4, 0, { 0 } }, true },
	{ &unstamped, { 0, 3, 1, { 0 } }, true },
	{ &unstamped, { 0, 2, 0, { 0 } }, true },
};

/* The voter denies a pre-vote, too. It promises nothing, and writes nothing. */
TEST(nominee_of_a_configuration_that_does_not_follow_is_denied)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct vote_request request = {
			.term = 7, .sent = 1, .lease = LEASE, .is_prevote = true
		};
		struct voter v = voter_with(row->own);
		struct vote_response vote = { .term = 0 };
		enum request_outcome outcome;

		request.config_id = row->nominees;
		outcome = ask(&v, START, A, &request, &vote);
		assert_int_equal(outcome, REQUEST_ANSWERED);
		assert_int_equal(vote.denial == DENIAL_CONFIG, row->is_denied);
		request.is_prevote = false;
		outcome = ask(&v, START, A, &request, &vote);
		if ((outcome == REQUEST_ANSWERED) != row->is_denied)
			fail_msg("row %zu", i);
		assert_int_equal(v.is_kept, row->is_denied);
		assert_int_equal(v.promise.term, row->is_denied ? 0 : 7);
		assert_int_equal(vote.wait_ms, 0);
	}
}

/* The nominee counts no more of a grant than its own lease, however long the
 * voter is bound. */
TEST(nominee_with_a_longer_lease_is_denied)
{
	struct vote_request request = {
		.term = 7, .sent = 1, .lease = LEASE + 1, .config_id = stamped
	};
	struct voter v = voter_with(&stamped);
	struct vote_response vote;

	assert_int_equal(ask(&v, START, A, &request, &vote), REQUEST_ANSWERED);
	assert_int_equal(vote.denial, DENIAL_CONFIG);
	request.config_id.config_term++; /* a later configuration does not
					  * help */
	assert_int_equal(ask(&v, START, A, &request, &vote), REQUEST_ANSWERED);
	assert_int_equal(vote.denial, DENIAL_CONFIG);
	request.lease = 1;
	assert_int_equal(ask(&v, START, A, &request, &vote), REQUEST_PENDING);
}

/* The owner of the promise and the holder, too. */
TEST(holder_that_stays_behind_is_renewed_no_more)
{
	const struct config_id later = { .config_term = 6,
		.config_version = 3 };
	struct vote_request request = {
		.term = 7, .sent = 1, .lease = LEASE, .config_id = stamped
	};
	struct voter v = voter_with(&stamped);
	struct vote_response vote;

	grant(&v, START, A, 7);
	voter_change(&v, LEASE, &later);
	assert_int_equal(
	    ask(&v, START + SEC, A, &request, &vote), REQUEST_ANSWERED);
	assert_int_equal(vote.denial, DENIAL_CONFIG);
	expect(&v, START + SEC, A, 7, DENIAL_NONE); /* with the later one */
}

TEST(every_answer_bears_the_tag_of_the_voters_configuration)
{
	const struct config_id own = { .config_term = 5, .digest = "tag" };
	const struct config_id next = { .config_term = 6, .digest = "TAG" };
	struct vote_request request = {
		.term = 7, .sent = 1, .lease = LEASE, .is_prevote = true
	};
	struct voter v = voter_with(&own);
	struct vote_response vote;

	ask(&v, START, A, &request, &vote);
	assert_int_equal(vote.denial, DENIAL_CONFIG);
	assert_int_equal(vote.config_tag, config_tag(&own));
	request.config_id = next; /* a grant to a later one */
	ask(&v, START, A, &request, &vote);
	assert_int_equal(vote.denial, DENIAL_NONE);
	assert_int_equal(vote.config_tag, config_tag(&own));
	voter_change(&v, LEASE, &next);
	ask(&v, START, A, &request, &vote);
	assert_int_equal(vote.config_tag, config_tag(&next));
}

/* A restart would not know how long an earlier grant binds it. */
TEST(voter_with_a_longer_lease_grants_nothing_before_it_is_durable)
{
	struct voter v = voter_with(&stamped);
	struct vote_response vote;

	grant(&v, START, A, 7);
	voter_change(&v, LEASE + SEC, &stamped);
	voter_check(&v);
	assert_false(v.is_kept);
	assert_int_equal(
	    ask_term(&v, START + SEC, A, 7, &vote), REQUEST_PENDING);
	assert_true(v.guard_until == START + LEASE);
	voter_kept(&v);
	expect(&v, START + SEC, A, 7, DENIAL_NONE);
	assert_true(v.guard_until == START + SEC + LEASE + SEC);
}

TEST(change_that_makes_the_lease_no_longer_needs_no_disk)
{
	const struct config_id later = { .config_term = 6,
		.config_version = 3 };
	struct voter v = voter_with(&stamped), fresh = v;

	grant(&v, START, A, 7);
	voter_change(&v, LEASE, &later);
	assert_true(v.is_kept);
	voter_change(&v, LEASE - SEC, &later);
	assert_true(v.is_kept);
	/* Nothing was ever promised: the first promise is to be written. */
	voter_change(&fresh, LEASE + SEC, &later);
	assert_true(fresh.is_kept);
	voter_check(&fresh);
}

/* The owner of the grant may have counted all of it. */
TEST(grant_for_a_longer_lease_binds_to_its_end)
{
	struct voter v = voter_with(&stamped);
	nsec_t end = START + LEASE;

	grant(&v, START, A, 7);
	voter_change(&v, LEASE / 4, &stamped);
	grant(&v, START + SEC, A, 7);
	assert_true(v.guard_until == end);
	grant(&v, START + SEC, A, 8); /* in a later term, too */
	assert_true(v.guard_until == end);
	expect(&v, end - 1, B, 9, DENIAL_HELD);
	grant(&v, end - 1, A, 8);
	assert_true(v.guard_until == end - 1 + LEASE / 4);
	expect(&v, end, B, 9, DENIAL_HELD);
	grant(&v, end - 1 + LEASE / 4, B, 9);
	assert_true(v.guard_until == end - 1 + 2 * (LEASE / 4));
}

/* The guard was for the other one alone. */
TEST(guard_of_another_owner_is_not_kept)
{
	struct voter v = voter_with(&stamped);

	grant(&v, START, A, 7);
	voter_change(&v, LEASE / 4, &stamped);
	voter_release(&v, A, 7);
	grant(&v, START, B, 8);
	assert_true(v.guard_until == START + LEASE / 4);
}
