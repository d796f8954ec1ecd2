/* SPDX-License-Identifier: ISC */
/*
 * A lease that is held while the voters or its length change, and when a leader
 * is settled (PROTOCOL.md, Changes of voters).
 */

#include "tests/unit/group.h"

#include "common/quorum/lease.h"

#define VOTERS_MAX 7
#define LENGTH     (11 * SEC) /* ... of which 9 are the leader's */
#define WORTH      (9 * SEC)
#define START      (1000 * SEC) /* when the term was granted */
#define TERM       5
#define UNTIL      (START + WORTH - LENGTH / 10) /* the guard comes off */

struct stage {
	struct lease lease;
	struct grant grants[2][VOTERS_MAX]; /* before and after the change */
};

static enum lease_news
granted(struct lease *l, nsec_t now, unsigned voter, nsec_t sent, bool agrees)
{
	const struct vote_response vote = {
		.term = TERM, .sent = sent, .is_prevote = l->is_prevote
	};
	enum lease_news news = lease_grant(l, now, voter, &vote, agrees);

	lease_check(l);
	return news;
}

/* Voters 0 and 1 of three have granted the term at START. */
static int
set_up(void **state)
{
	static struct stage s;
	struct lease *l = &s.lease;

	lease_init(l, LENGTH, s.grants[0], 3);
	lease_want(l, START, TERM);
	granted(l, START, 0, START, true);
	granted(l, START, 1, START, true);
	lease_request(l, START);
	granted(l, START, 0, START, true);
	assert_int_equal(granted(l, START, 1, START, true), LEASE_WON);
	assert_true(lease_until(l) == UNTIL);
	*state = &s;
	return 0;
}

static struct lease *
change(struct stage *s, nsec_t now, nsec_t length, unsigned voters)
{
	lease_change(&s->lease, now, length, s->grants[1], voters);
	lease_check(&s->lease);
	return &s->lease;
}

#define CASE(name) TEST(name, set_up)

CASE(leader_goes_on_to_the_end_of_its_lease)
{
	struct lease *l = change(*state, START + SEC, LENGTH, 5);

	assert_int_equal(l->held, TERM);
	assert_int_equal(l->term, TERM);
	assert_true(lease_until(l) == UNTIL);
	assert_int_equal(l->quorum, 3);
	assert_int_equal(l->grants_count, 5);
}

/* Grants from before may be of other voters, and for another length. */
CASE(grants_of_requests_before_the_change_do_not_count)
{
	nsec_t now = START + 2 * SEC;
	struct lease *l = change(*state, now, LENGTH, 3);

	for (unsigned i = 0; i < 3; i++)
		granted(l, now, i, now - 1, true);
	assert_true(lease_until(l) == UNTIL);
	/* One that was sent in the same instant may have been sent before. */
	for (unsigned i = 0; i < 3; i++)
		granted(l, now, i, now, true);
	assert_true(lease_until(l) == UNTIL);
	assert_false(lease_is_settled(l, START + 2 * SEC, 0));
	for (unsigned i = 0; i < 3; i++)
		granted(l, now + 1, i, now + 1, true);
	assert_true(lease_until(l) == UNTIL + 2 * SEC + 1);
	assert_true(lease_is_settled(l, START + SEC, 0));
}

/* Two of three were enough, but not of five. */
CASE(majority_of_the_next_voters_extends_it)
{
	struct lease *l = change(*state, START + SEC, LENGTH, 5);
	nsec_t now = START + 2 * SEC;

	granted(l, now, 0, now, true);
	granted(l, now, 4, now, true);
	assert_true(lease_until(l) == UNTIL);
	assert_false(lease_is_settled(l, now, 0));
	granted(l, now, 3, now, true);
	assert_true(lease_until(l) == UNTIL + 2 * SEC);
	assert_true(lease_is_settled(l, now, 0));
}

CASE(longer_lease_counts_from_the_first_majority)
{
	struct lease *l = change(*state, START + SEC, 2 * LENGTH, 3);
	nsec_t now = START + 2 * SEC;

	assert_true(lease_until(l) == UNTIL);
	granted(l, now, 0, now, true);
	granted(l, now, 1, now, true);
	assert_true(lease_until(l) == now + 2 * WORTH - 2 * LENGTH / 10);
}

/* The voters are bound by their earlier grants to the end of these. */
CASE(shorter_lease_takes_nothing_back)
{
	struct lease *l = change(*state, START + SEC, LENGTH / 11, 3);
	nsec_t now = START + 2 * SEC;

	for (unsigned i = 0; i < 3; i++)
		granted(l, now, i, now, true);
	assert_true(lease_until(l) == UNTIL);
	assert_true(l->is_earlier);
	assert_false(lease_is_settled(l, now, 0));
	now = START + WORTH - SEC / 2;
	for (unsigned i = 0; i < 3; i++)
		granted(l, now, i, now, true);
	assert_true(lease_until(l) > UNTIL);
	assert_true(lease_until(l) < now + SEC);
	assert_false(l->is_earlier);
	assert_true(lease_is_settled(l, now, 0));
}

/* The guard was that of the longer lease: what is left does not grow by the
 * shorter one's. */
CASE(deadline_never_goes_back)
{
	struct stage *s = *state;
	struct lease *l = &s->lease;
	nsec_t until = lease_hand_out(l, START);

	change(s, START, LENGTH / 2, 3);
	for (nsec_t now = START; now < until; now += SEC / 4) {
		nsec_t before = lease_until(l);

		for (unsigned i = 0; i < 3; i++)
			granted(l, now, i, now, true);
		assert_true(lease_until(l) >= before);
		assert_true(lease_until(l) >= until);
	}
}

CASE(deadline_that_was_given_stays)
{
	struct stage *s = *state;
	nsec_t given = lease_hand_out(&s->lease, START);
	struct lease *l = change(s, START + SEC, LENGTH / 4, 5);

	assert_true(given == UNTIL);
	assert_true(lease_until(l) == given);
	assert_true(lease_drop(l, START + 2 * SEC) == given);
	lease_check(l);
}

CASE(leader_that_gets_no_grant_after_the_change_gives_up)
{
	struct lease *l = change(*state, START + SEC, LENGTH, 3);

	granted(l, START + 2 * SEC, 0, START + 2 * SEC, true);
	assert_true(lease_until(l) == UNTIL);
	assert_true(lease_hand_out(l, UNTIL) == 0);
	lease_drop(l, UNTIL);
	lease_check(l);
	assert_false(l->is_earlier);
	assert_int_equal(l->held, 0);
	assert_true(lease_until(l) == 0);
}

/* Most voters of the majority that grants have the configuration before. */
CASE(minority_that_agrees_does_not_settle)
{
	struct lease *l = change(*state, START + SEC, LENGTH, 5);
	nsec_t now = START + 2 * SEC;

	for (unsigned i = 0; i < 5; i++)
		granted(l, now, i, now, i < 2);
	assert_true(lease_until(l) == UNTIL + 2 * SEC);
	assert_false(lease_is_settled(l, now, 0));
	granted(l, now + 1, 4, now + 1, true);
	assert_true(lease_is_settled(l, now, 0));
	/* What it says last counts. */
	granted(l, now + 2, 4, now + 2, false);
	assert_false(lease_is_settled(l, now, 0));
}

/* A renewal by others does not unsettle it. */
CASE(settled_leader_stays_so_until_the_next_change)
{
	struct stage *s = *state;
	struct lease *l = change(s, START + SEC, LENGTH, 3);
	nsec_t now = START + 2 * SEC;

	granted(l, now, 0, now, true);
	granted(l, now, 2, now, true);
	assert_true(lease_is_settled(l, now, 0));
	granted(l, now + SEC, 1, now + SEC, true);
	assert_true(lease_is_settled(l, now, 0));
	change(s, now + SEC, LENGTH, 3);
	assert_false(lease_is_settled(l, now, 0));
}

/* The lease rests on those of others, which had another configuration. */
CASE(grant_that_is_over_settles_nobody)
{
	struct lease *l = change(*state, START + SEC, LENGTH, 3);
	nsec_t now = START + 2 * SEC;

	granted(l, now, 0, now, true);
	granted(l, now, 2, now, true);
	for (nsec_t at = now; at < now + WORTH; at += SEC)
		granted(l, at, 1, at, false);
	granted(l, now + WORTH - 1, 2, now + WORTH - 1, true);
	assert_true(lease_is_settled(l, now + WORTH - 1, 0));
	granted(l, now + WORTH, 1, now + WORTH, false);
	assert_true(lease_until(l) > now + WORTH);
	assert_false(lease_is_settled(l, now + WORTH, 0));
}

/* A voter that was lost had granted requests until then. */
CASE(grants_from_before_a_time_settle_nothing_after_it)
{
	struct lease *l = change(*state, START + SEC, LENGTH, 3);
	nsec_t now = START + 2 * SEC;

	granted(l, now, 0, now, true);
	granted(l, now + 1, 1, now + 1, true);
	assert_true(lease_is_settled(l, now + 1, now));
	assert_false(lease_is_settled(l, now + 1, now + 1));
	granted(l, now + 2, 0, now + 2, true);
	assert_true(lease_is_settled(l, now + 2, now + 1));
}

/* The rest of an older, longer lease may rest on what the voter granted. */
CASE(longer_lease_from_before_a_change_settles_nothing)
{
	struct lease *l = change(*state, START + SEC, LENGTH / 11, 3);
	nsec_t now = START + 2 * SEC;

	for (unsigned i = 0; i < 3; i++)
		granted(l, now, i, now, true);
	assert_false(lease_is_settled(l, now, now));
}

CASE(follower_is_never_settled)
{
	struct stage *s = *state;
	struct lease *l = &s->lease;

	assert_true(lease_is_settled(l, START, 0));
	lease_want(l, START, TERM + 1); /* it leads yet, in the term before */
	for (unsigned i = 0; i < 3; i++)
		granted(l, START, i, START, true);
	assert_false(lease_is_settled(l, START, 0));
	lease_drop(l, START);
	assert_false(lease_is_settled(l, START, 0));
	change(s, START, LENGTH, 1);
	assert_false(l->is_earlier);
	assert_false(lease_is_settled(l, START, 0));
}
