/* SPDX-License-Identifier: ISC */
/*
 * A voter whose durable state is not sound, node 2, and a leader that admits
 * it, member 1 (PROTOCOL.md, Admission). The node is no candidate.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#include <string.h>

#define TERM 40

static struct stage s;
static struct said *const said = &s.members[0].said;

#define STAMPED                                                                \
	{                                                                      \
		.config_term = 39, .config_version = 3, .digest = "stamped"    \
	}

static const struct config_id stamped = STAMPED;

static const struct vote_request admission = {
	.term = TERM,
	.sent = 12345,
	.admits = true,
	.lease = QUORUM_LEASE,
	.config_id = STAMPED,
};

/* The node starts with this state. */
static void
begin(enum state_health health, const struct durable_state *durable)
{
	quorum_set(&s);
	quorum_exchange(&s, &stamped);
	s.setups[0].role = ROLE_VOTER;
	s.setups[0].state_health = health;
	s.setups[0].durable = *durable;
	quorum_begin(&s, 3 * SEC);
	assert_false(stage_status(&s, 0).has_vote);
	memset(&s.durable, 0, sizeof(s.durable));
	s.is_anew = false;
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
	stage_strike(&s);
	return 0;
}

/* A request that admits nobody is answered thus. */
static void
expect_answer(enum denial denial)
{
	const struct vote_request c = { .term = TERM, .sent = s.now };

	quorum_request(&s, &c);
	quorum_assert_voted(&s, &c, denial);
}

#define ALONE(name) TEST(name, NULL, leave)
#define CASE(name)  TEST(name, enter_lost, leave)

CASE(voter_that_is_admitted_votes_once_its_state_is_durable)
{
	s.is_slow = true;
	quorum_request(&s, &admission);
	assert_true(s.is_persisting[0]);
	assert_true(s.is_anew);
	assert_int_equal(s.durable.promise.term, TERM);
	assert_int_equal(s.durable.promise.owner.id, 1);
	assert_int_equal(
	    s.durable.promise.owner.incarnation, s.members[0].incarnation);
	assert_false(s.durable.promise.is_early);
	assert_int_equal(s.durable.incarnation, 5);
	assert_true(config_id_equal(&s.durable.config_id, &stamped));
	assert_true(s.durable.lease == QUORUM_LEASE);
	assert_false(stage_status(&s, 0).has_vote);
	expect_answer(DENIAL_STATE_FILE);
	stage_persist(&s, 0, true);
	assert_true(stage_status(&s, 0).has_vote);
	assert_int_equal(stage_status(&s, 0).state_health, STATE_HEALTH_SOUND);
	assert_int_equal(s.notices[NOTICE_STATE_FILE], 1);
	expect_answer(DENIAL_NONE);
}

/* The voter holds the promise that it gave as it was admitted. */
CASE(voter_that_was_admitted_grants_nobody_a_lower_term)
{
	const struct vote_request lower = { .term = TERM - 1, .sent = 23456 };

	quorum_request(&s, &admission);
	quorum_request(&s, &lower);
	quorum_assert_voted(&s, &lower, DENIAL_PROMISED);
}

CASE(voter_that_was_admitted_keeps_its_file_from_then_on)
{
	const struct vote_request next = { .term = TERM + 1, .sent = 23456 };

	quorum_request(&s, &admission);
	quorum_request(&s, &next);
	assert_int_equal(s.durable.promise.term, TERM + 1);
	assert_false(s.is_anew);
}

CASE(voter_with_another_configuration_is_not_admitted)
{
	struct vote_request c = admission;

	c.config_id.config_term++;
	quorum_request(&s, &c);
	c = admission;
	c.config_id.digest[15] ^= 1; /* of the same tag */
	quorum_request(&s, &c);
	assert_false(stage_status(&s, 0).has_vote);
	assert_int_equal(s.durable.incarnation, 0);
	expect_answer(DENIAL_STATE_FILE);
}

CASE(request_of_a_term_beyond_belief_admits_nobody)
{
	struct vote_request c = admission;

	c.term = TERM_MAX;
	quorum_request(&s, &c);
	assert_false(stage_status(&s, 0).has_vote);
	assert_int_equal(s.durable.incarnation, 0);
}

/* Nothing was forgotten there. */
CASE(sound_voter_takes_an_admission_for_a_request)
{
	quorum_request(&s, &admission);
	memset(&s.durable, 0, sizeof(s.durable));
	quorum_request(&s, &admission);
	assert_int_equal(s.durable.incarnation, 0);
	assert_true(said->has_vote);
	assert_int_equal(said->vote.denial, DENIAL_NONE);
}

CASE(voter_whose_disk_fails_as_it_is_admitted_does_not_vote)
{
	s.is_slow = true;
	quorum_request(&s, &admission);
	stage_persist(&s, 0, false);
	assert_int_equal(stage_status(&s, 0).state_health, STATE_HEALTH_FAILED);
	quorum_request(&s, &admission);
	assert_false(s.is_persisting[0]);
	expect_answer(DENIAL_STATE_FILE);
}

CASE(voter_whose_id_is_in_use_twice_is_not_admitted)
{
	s.members[0].is_denouncing = true;
	quorum_request(&s, &admission);
	assert_int_equal(s.durable.incarnation, 0);
}

/* A life of its own that it knew nothing of: it goes on as a new process, and
 * its state is as lost as before. */
CASE(voter_that_refutes_while_it_is_admitted_is_mute_until_that_is_durable)
{
	size_t sent;

	s.is_slow = true;
	quorum_request(&s, &admission);
	sent = s.bytes_sent;
	stage_declare_dead(&s, 0);
	stage_persist(&s, 0, true);
	assert_int_equal(s.durable.incarnation, 6);
	assert_false(s.is_anew);
	assert_int_equal(s.bytes_sent, sent);
	stage_persist(&s, 0, true);
	assert_true(stage_status(&s, 0).has_vote);
}

/* The kernel may have dropped what a later write would seem to prove. */
ALONE(voter_whose_disk_had_failed_is_not_admitted)
{
	begin(STATE_HEALTH_FAILED, &nothing);
	quorum_request(&s, &admission);
	assert_int_equal(s.durable.incarnation, 0);
	assert_int_equal(stage_status(&s, 0).state_health, STATE_HEALTH_FAILED);
}

static const struct durable_state old_copy = {
	.incarnation = 5,
	.promise = { .term = TERM + 1, .owner = { .id = 3, .incarnation = 9 } },
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
	quorum_request(&s, &admission);
	assert_true(s.is_anew);
	assert_false(s.durable.is_revoked);
	assert_int_equal(s.durable.promise.term, TERM + 1);
	assert_int_equal(s.durable.promise.owner.id, 3);
	assert_true(stage_status(&s, 0).has_vote);
	quorum_request(&s, &c);
	quorum_assert_voted(&s, &c, DENIAL_PROMISED);
}

static const struct durable_state without_document = {
	.incarnation = 5,
	.promise = { .term = TERM, .owner = { .id = 3, .incarnation = 9 } },
	.config_id = { .config_term = 41,
	    .config_version = 4,
	    .digest = "lost" },
};

/* Puts a configuration of this config term into effect. */
static void
change(uint64_t config_term)
{
	s.setups[0].config_id.config_term = config_term;
	s.setups[0].config_id.config_version = 4;
	memcpy(s.setups[0].config_id.digest,
	    config_term == 41 ? "lost" : "late", 5);
	stage_change(&s, 0);
}

ALONE(voter_that_finds_the_settings_that_it_had_lost_votes_at_once)
{
	begin(STATE_HEALTH_CHANGED, &without_document);
	change(40);
	assert_false(stage_status(&s, 0).has_vote);
	change(41);
	assert_true(stage_status(&s, 0).has_vote);
	assert_int_equal(s.durable.promise.term, TERM);
	assert_false(s.is_anew);
	expect_answer(DENIAL_PROMISED);
}

/* The voter finds two earlier settings, one after the other; the second follows
 * the first. */
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
	assert_true(stage_status(&s, 0).has_vote);
}

/* A majority without it has ruled them out. */
ALONE(voter_that_has_lost_its_settings_is_admitted_by_others)
{
	struct vote_request c = admission;

	begin(STATE_HEALTH_CHANGED, &without_document);
	change(40);
	c.term = 42;
	c.config_id = s.setups[0].config_id;
	quorum_request(&s, &c);
	assert_true(stage_status(&s, 0).has_vote);
	assert_true(
	    config_id_equal(&s.durable.config_id, &s.setups[0].config_id));
	assert_int_equal(s.durable.promise.term, 42);
}

/* The voter's file was made while it had no vote. */
ALONE(observer_that_becomes_a_voter_without_promises_is_admitted)
{
	quorum_set(&s);
	quorum_exchange(&s, &stamped);
	s.setups[0].role = ROLE_OBSERVER;
	quorum_begin(&s, 3 * SEC);
	s.setups[0].role = ROLE_VOTER;
	s.setups[0].config_id.config_term++;
	s.setups[0].state_health = STATE_HEALTH_LOST;
	stage_change(&s, 0);
	assert_false(stage_status(&s, 0).has_vote);
	quorum_request(&s, &(struct vote_request){ .term = TERM,
			       .sent = 1,
			       .admits = true,
			       .lease = QUORUM_LEASE,
			       .config_id = s.setups[0].config_id });
	assert_true(s.is_anew);
	assert_true(stage_status(&s, 0).has_vote);
}
