/* SPDX-License-Identifier: ISC */
/*
 * A voter whose durable state is not sound, node 2, and a leader that admits
 * it, member 1 (PROTOCOL.md, Admission). The node is no candidate.
 */
#include "tests/lib/ballot.h"
#include "tests/unit/group.h"

#include <string.h>

#define TERM 40

static struct ballot b;

#define STAMPED                                                                \
	{                                                                      \
		.config_term = 39, .config_version = 3, .digest = "stamped"    \
	}

static const struct config_id stamped = STAMPED;

static const struct vote_request admission = {
	.term = TERM,
	.sent = 12345,
	.admits = true,
	.lease = BALLOT_LEASE,
	.config_id = STAMPED,
};

/* The node starts with this state. */
static void
begin(enum state_health health, const struct durable_state *durable)
{
	ballot_set(&b);
	ballot_exchange(&b, &stamped);
	b.setup.role = ROLE_VOTER;
	b.setup.state_health = health;
	b.setup.durable = *durable;
	ballot_begin(&b, 3 * SEC);
	assert_false(ballot_status(&b).has_vote);
	memset(&b.durable, 0, sizeof(b.durable));
	b.is_anew = false;
}

static const struct durable_state nothing = { .incarnation = 5 };

static int
enter_lost(void **state)
{
	(void)state;
	begin(STATE_HEALTH_LOST, &nothing);
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	ballot_strike(&b);
	return 0;
}

/* A request that admits nobody is answered thus. */
static void
expect_answer(enum denial denial)
{
	const struct vote_request c = { .term = TERM, .sent = b.now };

	ballot_request(&b, &c);
	ballot_assert_voted(&b, &c, denial);
}

#define ALONE(name) TEST(name, NULL, leave)
#define CASE(name)  TEST(name, enter_lost, leave)

CASE(voter_that_is_admitted_votes_once_its_state_is_durable)
{
	b.is_slow = true;
	ballot_request(&b, &admission);
	assert_true(b.is_persisting);
	assert_true(b.is_anew);
	assert_int_equal(b.durable.promise.term, TERM);
	assert_int_equal(b.durable.promise.owner.id, 1);
	assert_int_equal(
	    b.durable.promise.owner.incarnation, b.member.incarnation);
	assert_false(b.durable.promise.is_early);
	assert_int_equal(b.durable.incarnation, 5);
	assert_true(config_id_equal(&b.durable.config_id, &stamped));
	assert_true(b.durable.lease == BALLOT_LEASE);
	assert_false(ballot_status(&b).has_vote);
	expect_answer(DENIAL_STATE_FILE);
	ballot_persist(&b, true);
	assert_true(ballot_status(&b).has_vote);
	assert_int_equal(ballot_status(&b).state_health, STATE_HEALTH_SOUND);
	assert_int_equal(b.notices[NOTICE_STATE_FILE], 1);
	expect_answer(DENIAL_NONE);
}

/* The voter holds the promise that it gave as it was admitted. */
CASE(voter_that_was_admitted_grants_nobody_a_lower_term)
{
	const struct vote_request lower = { .term = TERM - 1, .sent = 23456 };

	ballot_request(&b, &admission);
	ballot_request(&b, &lower);
	ballot_assert_voted(&b, &lower, DENIAL_PROMISED);
}

CASE(voter_that_was_admitted_keeps_its_file_from_then_on)
{
	const struct vote_request next = { .term = TERM + 1, .sent = 23456 };

	ballot_request(&b, &admission);
	ballot_request(&b, &next);
	assert_int_equal(b.durable.promise.term, TERM + 1);
	assert_false(b.is_anew);
}

CASE(voter_with_another_configuration_is_not_admitted)
{
	struct vote_request c = admission;

	c.config_id.config_term++;
	ballot_request(&b, &c);
	c = admission;
	c.config_id.digest[15] ^= 1; /* of the same tag */
	ballot_request(&b, &c);
	assert_false(ballot_status(&b).has_vote);
	assert_int_equal(b.durable.incarnation, 0);
	expect_answer(DENIAL_STATE_FILE);
}

CASE(request_of_a_term_beyond_belief_admits_nobody)
{
	struct vote_request c = admission;

	c.term = TERM_MAX;
	ballot_request(&b, &c);
	assert_false(ballot_status(&b).has_vote);
	assert_int_equal(b.durable.incarnation, 0);
}

/* Nothing was forgotten there. */
CASE(sound_voter_takes_an_admission_for_a_request)
{
	ballot_request(&b, &admission);
	memset(&b.durable, 0, sizeof(b.durable));
	ballot_request(&b, &admission);
	assert_int_equal(b.durable.incarnation, 0);
	assert_true(b.said.has_vote);
	assert_int_equal(b.said.vote.denial, DENIAL_NONE);
}

CASE(voter_whose_disk_fails_as_it_is_admitted_does_not_vote)
{
	b.is_slow = true;
	ballot_request(&b, &admission);
	ballot_persist(&b, false);
	assert_int_equal(ballot_status(&b).state_health, STATE_HEALTH_FAILED);
	ballot_request(&b, &admission);
	assert_false(b.is_persisting);
	expect_answer(DENIAL_STATE_FILE);
}

CASE(voter_whose_id_is_in_use_twice_is_not_admitted)
{
	b.is_denouncing = true;
	ballot_request(&b, &admission);
	assert_int_equal(b.durable.incarnation, 0);
}

/* A life of its own that it knew nothing of: it goes on as a new process, and
 * its state is as lost as before. */
CASE(voter_that_refutes_while_it_is_admitted_is_mute_until_that_is_durable)
{
	unsigned sent;

	b.is_slow = true;
	ballot_request(&b, &admission);
	sent = b.sent;
	ballot_declare_dead(&b);
	ballot_persist(&b, true);
	assert_int_equal(b.durable.incarnation, 6);
	assert_false(b.is_anew);
	assert_int_equal(b.sent, sent);
	ballot_persist(&b, true);
	assert_true(ballot_status(&b).has_vote);
}

/* The kernel may have dropped what a later write would seem to prove. */
ALONE(voter_whose_disk_had_failed_is_not_admitted)
{
	begin(STATE_HEALTH_FAILED, &nothing);
	ballot_request(&b, &admission);
	assert_int_equal(b.durable.incarnation, 0);
	assert_int_equal(ballot_status(&b).state_health, STATE_HEALTH_FAILED);
}

static const struct durable_state old_copy = {
	.incarnation = 5,
	.promise = { .term = TERM + 1, .owner = { 3, 9 } },
	.is_revoked = true,
	.config_id = { .config_term = 38,
	    .config_version = 3,
	    .digest = "before" },
};

/* What an old copy says was true once. */
ALONE(old_copy_keeps_a_later_promise_as_it_is_admitted)
{
	const struct vote_request c = { .term = TERM, .sent = 23456 };

	begin(STATE_HEALTH_REVOKED, &old_copy);
	ballot_request(&b, &admission);
	assert_true(b.is_anew);
	assert_false(b.durable.is_revoked);
	assert_int_equal(b.durable.promise.term, TERM + 1);
	assert_int_equal(b.durable.promise.owner.id, 3);
	assert_true(ballot_status(&b).has_vote);
	ballot_request(&b, &c);
	ballot_assert_voted(&b, &c, DENIAL_PROMISED);
}

static const struct durable_state without_document = {
	.incarnation = 5,
	.promise = { .term = TERM, .owner = { 3, 9 } },
	.config_id = { .config_term = 41,
	    .config_version = 4,
	    .digest = "lost" },
};

/* Puts a configuration of this config term into effect. */
static void
change(uint64_t config_term)
{
	b.setup.config_id.config_term = config_term;
	b.setup.config_id.config_version = 4;
	memcpy(
	    b.setup.config_id.digest, config_term == 41 ? "lost" : "late", 5);
	ballot_change(&b);
}

ALONE(voter_that_finds_the_settings_that_it_had_lost_votes_at_once)
{
	begin(STATE_HEALTH_CHANGED, &without_document);
	change(40);
	assert_false(ballot_status(&b).has_vote);
	change(41);
	assert_true(ballot_status(&b).has_vote);
	assert_int_equal(b.durable.promise.term, TERM);
	assert_false(b.is_anew);
	expect_answer(DENIAL_PROMISED);
}

/* It finds two, one after the other; the second follows the first. */
ALONE(voter_that_finds_only_earlier_settings_does_not_vote)
{
	struct durable_state r = without_document;

	r.config_id.config_term = 50;
	begin(STATE_HEALTH_CHANGED, &r);
	change(40);
	expect_answer(DENIAL_STATE_FILE);
	change(42);
	expect_answer(DENIAL_STATE_FILE);
	change(51);
	assert_true(ballot_status(&b).has_vote);
}

/* A majority without it has ruled them out. */
ALONE(voter_that_has_lost_its_settings_is_admitted_by_others)
{
	struct vote_request c = admission;

	begin(STATE_HEALTH_CHANGED, &without_document);
	change(40);
	c.term = 42;
	c.config_id = b.setup.config_id;
	ballot_request(&b, &c);
	assert_true(ballot_status(&b).has_vote);
	assert_true(config_id_equal(&b.durable.config_id, &b.setup.config_id));
	assert_int_equal(b.durable.promise.term, 42);
}

/* The voter's file was made while it had no vote. */
ALONE(observer_that_becomes_a_voter_without_promises_is_admitted)
{
	ballot_set(&b);
	ballot_exchange(&b, &stamped);
	b.setup.role = ROLE_OBSERVER;
	ballot_begin(&b, 3 * SEC);
	b.setup.role = ROLE_VOTER;
	b.setup.config_id.config_term++;
	b.setup.state_health = STATE_HEALTH_LOST;
	ballot_change(&b);
	assert_false(ballot_status(&b).has_vote);
	ballot_request(&b, &(struct vote_request){ .term = TERM,
			       .sent = 1,
			       .admits = true,
			       .lease = BALLOT_LEASE,
			       .config_id = b.setup.config_id });
	assert_true(b.is_anew);
	assert_true(ballot_status(&b).has_vote);
}
