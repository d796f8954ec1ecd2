/* SPDX-License-Identifier: ISC */
/* The deadlines of clients, and a leader that is about to give up. */

#include "tests/unit/group.h"

#include "common/quorum/lease.h"

#define LENGTH (11 * SEC) /* ... of which 9 are the leader's */
#define START  (1000 * SEC)
#define UNTIL  (START + 9 * SEC - LENGTH / 10) /* the guard comes off */

/* A nominee and its only voter. */
static int
set_up(void **state)
{
	static struct grant support;
	static struct lease lease;

	lease_init(&lease, LENGTH, &support, 1);
	*state = &lease;
	return 0;
}

/* The request of `term` sent at `now` is granted at once. */
static void
grant(struct lease *l, nsec_t now, uint64_t term)
{
	const struct vote_response vote = {
		.term = term, .sent = now, .is_prevote = l->is_prevote
	};

	lease_grant(l, now, 0, &vote, true);
	lease_check(l);
}

static void
win(struct lease *l, nsec_t now, uint64_t term)
{
	lease_want(l, now, term);
	grant(l, now, term);
	if (l->is_prevote)
		lease_request(l, now);
	grant(l, now, term);
	assert_true(l->held == term);
}

#define CASE(name) TEST(name, set_up)

CASE(deadline_that_is_handed_out_is_the_lease_that_is_left)
{
	struct lease *l = *state;

	win(l, START, 5);
	assert_true(lease_hand_out(l, START) == UNTIL);
	assert_true(lease_hand_out(l, UNTIL - 1) == UNTIL);
	assert_true(lease_hand_out(l, UNTIL) == 0);
	assert_true(lease_hand_out(l, UNTIL + SEC) == 0);
}

/* RELEASE waits for the latest deadline that a client was told. */
CASE(drop_waits_for_what_was_handed_out)
{
	struct lease *l = *state;
	nsec_t now = START + SEC;

	win(l, START, 5);
	lease_hand_out(l, START);
	grant(l, now, 5); /* renewed, but told to nobody */
	assert_true(lease_drop(l, now) == UNTIL);
	assert_true(lease_until(l) == 0);
	/* A second answer has the same; a later one a later deadline. */
	assert_true(lease_drop(l, now) == UNTIL);
	assert_true(lease_drop(l, UNTIL + 1) == UNTIL + 1);
}

CASE(yielding_leader_leads_until_the_last_deadline)
{
	struct lease *l = *state;
	nsec_t now = START + SEC;

	win(l, START, 5);
	lease_hand_out(l, START);
	lease_yield(l, now);
	lease_check(l);
	grant(l, now, 5); /* goes on renewing, in vain */
	assert_true(lease_until(l) == UNTIL);
	assert_true(lease_hand_out(l, now) == UNTIL);
	lease_yield(l, now + SEC);
	assert_true(lease_until(l) == UNTIL);
	assert_true(lease_hand_out(l, UNTIL) == 0);
	assert_true(lease_drop(l, UNTIL) == UNTIL);
}

CASE(leader_that_handed_nothing_out_yields_at_once)
{
	struct lease *l = *state;
	nsec_t now = START + SEC;

	win(l, START, 5);
	lease_yield(l, now);
	lease_check(l);
	assert_true(lease_until(l) <= now);
	assert_true(lease_hand_out(l, now) == 0);
	grant(l, now + 1, 5);
	assert_true(lease_until(l) <= now);
	assert_true(lease_drop(l, now) == now);
	/* The leader may lead again, in another term. */
	win(l, now, 6);
	assert_true(lease_until(l) == UNTIL + SEC);
}

/* The leader keeps the word it gave in the earlier term. */
CASE(yield_outlasts_a_later_term)
{
	struct lease *l = *state;
	nsec_t now = START + SEC;

	win(l, START, 5);
	lease_want(l, now, 9);
	lease_yield(l, now);
	grant(l, now, 9);
	assert_true(lease_until(l) <= now);
	assert_true(lease_hand_out(l, now) == 0);
}

/* A deadline stays valid; no later one follows. */
CASE(finished_leader_hands_out_no_later_deadline)
{
	struct lease *l = *state;
	nsec_t now = START + SEC;

	win(l, START, 5);
	assert_true(lease_hand_out(l, START) == UNTIL);
	lease_finish(l);
	grant(l, now, 5);
	assert_true(lease_until(l) == UNTIL + SEC); /* it leads on */
	assert_true(lease_hand_out(l, now) == UNTIL);
	win(l, now, 9); /* in a later term, too */
	assert_true(lease_hand_out(l, UNTIL - 1) == UNTIL);
	assert_true(lease_hand_out(l, UNTIL) == 0);
	assert_true(l->handed == UNTIL);
}

CASE(finished_leader_that_handed_nothing_out_never_does)
{
	struct lease *l = *state;

	win(l, START, 5);
	lease_finish(l);
	assert_true(lease_until(l) == UNTIL);
	assert_true(lease_hand_out(l, START) == 0);
	grant(l, START + SEC, 5);
	assert_true(lease_hand_out(l, START + SEC) == 0);
	assert_true(l->handed == 0);
}

CASE(lease_that_is_finished_is_over_when_it_is_dropped)
{
	struct lease *l = *state;

	lease_finish(l); /* of nothing */
	win(l, START, 5);
	assert_true(lease_hand_out(l, START) == UNTIL);
	lease_finish(l);
	lease_drop(l, START);
	win(l, START + SEC, 6);
	assert_true(lease_hand_out(l, START + SEC) == UNTIL + SEC);
}

CASE(leader_that_resumes_leads_on_as_before)
{
	struct lease *l = *state;
	nsec_t now = START + SEC;

	win(l, START, 5);
	assert_true(lease_hand_out(l, START) == UNTIL);
	lease_finish(l);
	lease_yield(l, now);
	lease_resume(l);
	lease_check(l);
	assert_true(lease_until(l) == UNTIL);
	grant(l, now, 5);
	assert_true(lease_until(l) == UNTIL + SEC);
	assert_true(lease_hand_out(l, now) == UNTIL + SEC);
	assert_true(lease_drop(l, now) == UNTIL + SEC);
}

CASE(deadline_that_is_given_back_ends_the_yield)
{
	struct lease *l = *state;
	nsec_t now = START + SEC;

	win(l, START, 5);
	lease_hand_out(l, START);
	lease_yield(l, now);
	lease_take_back(l, now, now + SEC); /* another client relies on that */
	lease_check(l);
	assert_true(lease_until(l) == now + SEC);
	lease_take_back(l, now, UNTIL); /* nothing comes back */
	assert_true(lease_until(l) == now + SEC);
	lease_take_back(l, now, 0);
	lease_check(l);
	assert_true(lease_until(l) == now);
	assert_true(lease_drop(l, now) == now);
}

/* A leader that does not yield leads on as before. */
CASE(deadline_that_is_given_back_shortens_no_lease)
{
	struct lease *l = *state;

	lease_take_back(l, START, 0); /* of nothing */
	win(l, START, 5);
	lease_hand_out(l, START);
	lease_take_back(l, START, 0);
	lease_check(l);
	assert_true(lease_until(l) == UNTIL);
	assert_true(lease_hand_out(l, START + SEC) == UNTIL);
	assert_true(lease_drop(l, START + SEC) == UNTIL);
}

/* Voters are bound for the longer lease yet, so that deadline stands; but the
 * lead that is won again may end sooner. */
CASE(leader_that_leads_again_promises_no_more_than_its_lease)
{
	struct lease *l = *state;
	nsec_t now = START + SEC, until;

	win(l, START, 5);
	assert_true(lease_hand_out(l, START) == UNTIL);
	lease_change(l, START, LENGTH / 11, l->grants, 1);
	assert_true(lease_drop(l, now) == UNTIL);
	win(l, now, 6);
	until = lease_until(l);
	assert_true(until < UNTIL);
	assert_true(lease_hand_out(l, now) == until);
	assert_true(l->handed == UNTIL);
	lease_yield(l, now);
	lease_check(l);
	assert_true(lease_until(l) == until);
	assert_true(lease_drop(l, now) == UNTIL);
	lease_check(l);
}
