/* SPDX-License-Identifier: ISC */
/*
 * Another configuration comes into effect under the guarantee "quorum"
 * (PROTOCOL.md, Changes of voters): what becomes of the lease of a leader, of
 * its term, of requests that wait, and of the durable state.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#include <string.h>

#define LONGER (3 * QUORUM_LEASE)

static struct stage s;
static struct said *const said = &s.members[0].said;

static const struct config_id first = { .config_term = 1, .digest = "first" };

/* Another configuration, with these settings besides: to be put into effect. */
static void
change(uint64_t config_term)
{
	s.setups[0].config_id.config_term = config_term;
	s.setups[0].config_id.config_version++;
	s.setups[0].config_id.digest[0]++;
	stage_change(&s, 0);
	node_check(s.nodes[0]);
}

static int
enter(void **state)
{
	(void)state;
	quorum_set(&s);
	quorum_exchange(&s, &first);
	quorum_begin(&s, 3 * SEC);
	assert_true(said->requests > 0);
	return 0;
}

static int
enter_leader(void **state)
{
	enter(state);
	s.is_granting = true;
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	return 0;
}

/* The node is no candidate, and its disk answers when the test says so. */
static int
enter_voter(void **state)
{
	(void)state;
	quorum_set(&s);
	quorum_exchange(&s, &first);
	s.setups[0].role = ROLE_VOTER;
	quorum_begin(&s, 3 * SEC);
	said->votes = 0;
	return 0;
}

/* The member's request in the configuration and with the lease of the node. */
static struct vote_request
request_of(uint64_t term)
{
	return (struct vote_request){
		.term = term,
		.sent = 12345,
		.lease = s.setups[0].timing.lease,
		.config_id = s.setups[0].config_id,
	};
}

static void
request(uint64_t term)
{
	const struct vote_request r = request_of(term);

	quorum_request(&s, &r);
}

#define CASE(name, enter) STAGE_CASE(name, enter, &s)

CASE(leader_term_lease_and_session_go_on, enter_leader)
{
	struct node_status before = stage_status(&s, 0), after;
	unsigned elections = s.notices[NOTICE_ELECTION];

	change(before.term);
	after = stage_status(&s, 0);
	assert_int_equal(after.state, STATE_LEADER);
	assert_true(after.term == before.term);
	assert_true(after.until == before.until);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	quorum_move_member(&s, &s.setups[0].config_id);
	stage_run(&s, 3 * QUORUM_LEASE);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_true(stage_status(&s, 0).term == before.term);
	assert_int_equal(s.notices[NOTICE_NO_LEADER], 0);
	assert_int_equal(s.notices[NOTICE_ELECTION], elections);
}

/* The member's last grants were for requests before the change. */
CASE(leader_asks_anew_at_once_and_counts_no_earlier_grant, enter_leader)
{
	struct vote_request before;
	nsec_t until;

	s.is_granting = false;
	quorum_await_request(&s);
	before = said->request;
	until = stage_status(&s, 0).until;
	said->has_request = false;
	change(stage_status(&s, 0).term);
	stage_vote(&s, 0,
	    &(struct vote_response){ .term = before.term,
		.sent = before.sent,
		.promised = before.term });
	assert_true(stage_status(&s, 0).until == until);
	stage_run(&s, MSEC);
	assert_true(said->has_request);
	assert_true(said->request.sent > before.sent);
	assert_true(
	    config_id_equal(&said->request.config_id, &s.setups[0].config_id));
	stage_grant(&s, 0);
	assert_true(stage_status(&s, 0).until > until);
}

CASE(leader_that_nobody_grants_after_the_change_gives_up_in_time, enter_leader)
{
	nsec_t until;

	s.is_granting = false;
	change(stage_status(&s, 0).term);
	until = stage_status(&s, 0).until;
	stage_run(&s, nsec_since(until, s.now) - 1);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	stage_run(&s, 1);
	assert_int_not_equal(stage_status(&s, 0).state, STATE_LEADER);
}

CASE(deadline_that_a_client_has_stands, enter_leader)
{
	nsec_t until = node_hand_out(s.nodes[0], s.now);

	assert_true(until > s.now);
	s.setups[0].timing.lease = QUORUM_LEASE / 4;
	change(stage_status(&s, 0).term);
	stage_run(&s, nsec_since(until, s.now) - 1);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

/* The later leader has seen to it that our lease is over, or soon will be. */
CASE(leader_gives_up_when_a_later_one_has_stamped_its_settings, enter_leader)
{
	uint64_t term = stage_status(&s, 0).term;

	change(term + 1);
	assert_int_not_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(s.lead.reason.kind, REASON_LEASE);
	assert_int_equal(s.lead.reason.node, 2);
	quorum_move_member(&s, &s.setups[0].config_id);
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_true(stage_status(&s, 0).term > term);
}

/* A client may rely on it until its lease is over. */
CASE(leader_that_becomes_an_observer_hands_over, enter_leader)
{
	nsec_t until = node_hand_out(s.nodes[0], s.now);
	uint64_t config_term;

	s.setups[0].role = ROLE_OBSERVER;
	s.setups[0].peers_count = 1;
	change(stage_status(&s, 0).term);
	quorum_move_member(&s, &s.setups[0].config_id);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(
	    node_step(s.nodes[0], s.now, &s.setups[0], &config_term),
	    STEP_NOT_OURS);
	stage_run(&s, nsec_since(until, s.now) - 1);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	stage_run(&s, QUORUM_LEASE);
	assert_int_not_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(s.lead.reason.kind, REASON_REMOVED);
	assert_int_equal(s.lead.reason.node, 2);
}

/* The leader requests a later term, and the member comes to have an earlier
 * configuration, so that a planned handover waits. */
static uint64_t
elect_amid_two_configs(void)
{
	const struct config_id earlier = { .config_term = 0,
		.digest = "before" };
	uint64_t term;

	s.is_granting = false;
	term = stage_elect(&s, 0);
	assert_true(term > stage_status(&s, 0).term);
	stage_run(&s, STAGE_BEAT);
	assert_int_equal(said->request.term, term);
	quorum_move_member(&s, &earlier);
	assert_true(term > stage_status(&s, 0).term);
	return term;
}

/* The grants of the later term come, and the handover after that. */
static void
assert_wins_and_hands_over(uint64_t term)
{
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	s.is_granting = true;
	stage_run(&s, 3 * STAGE_BEAT);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, 0).term, term);
	quorum_move_member(&s, &s.setups[0].config_id);
	stage_run(&s, 5 * SEC);
	assert_int_not_equal(stage_status(&s, 0).state, STATE_LEADER);
}

CASE(leader_on_standby_may_win_a_later_term_first, enter_leader)
{
	const struct standby order = { .is_on = true, .left = NSEC_NEVER };
	uint64_t term = elect_amid_two_configs();

	node_set_standby(s.nodes[0], s.now, &order);
	assert_wins_and_hands_over(term);
	assert_int_equal(s.lead.reason.kind, REASON_RESIGN);
}

CASE(leader_that_is_no_candidate_may_win_a_later_term_first, enter_leader)
{
	uint64_t term = elect_amid_two_configs();

	s.setups[0].role = ROLE_VOTER;
	change(stage_status(&s, 0).term);
	assert_wins_and_hands_over(term);
	assert_int_equal(s.lead.reason.kind, REASON_REMOVED);
}

CASE(term_won_after_the_change_tells_why_its_election_began, enter_leader)
{
	uint64_t term = stage_status(&s, 0).term;

	s.is_granting = false;
	assert_true(stage_elect(&s, 0) > term);
	stage_run(&s, STAGE_BEAT);
	change(term);
	quorum_move_member(&s, &s.setups[0].config_id);
	s.is_granting = true;
	stage_run(&s, 3 * STAGE_BEAT);
	assert_true(stage_status(&s, 0).term > term);
	assert_int_equal(s.lead.reason.kind, REASON_FORCED);
	assert_int_equal(s.lead.reason.node, 2);
}

/* Whatever it asked, it asked other voters, for another lease. */
CASE(nominee_asks_no_more_and_answers_come_to_nothing, enter)
{
	struct vote_request before;
	uint64_t term;

	quorum_await_request(&s);
	before = said->request;
	change(2);
	said->has_request = false;
	stage_vote(&s, 0,
	    &(struct vote_response){ .term = before.term,
		.sent = before.sent,
		.is_prevote = before.is_prevote });
	assert_false(said->has_request);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	term = before.term;
	quorum_move_member(&s, &s.setups[0].config_id);
	s.is_granting = true;
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_true(stage_status(&s, 0).term > term);
}

CASE(requests_say_lease_and_configuration, enter)
{
	assert_true(said->request.lease == QUORUM_LEASE);
	assert_true(config_id_equal(&said->request.config_id, &first));
	s.setups[0].timing.lease = LONGER;
	change(2);
	quorum_move_member(&s, &s.setups[0].config_id);
	quorum_await_request(&s);
	assert_true(said->request.lease == LONGER);
	assert_true(
	    config_id_equal(&said->request.config_id, &s.setups[0].config_id));
}

/* The documents are on their way: it neither gives up nor outbids anybody. */
CASE(nominee_whose_configuration_is_denied_goes_on_asking, enter)
{
	uint64_t term;

	quorum_await_request(&s);
	term = said->request.term;
	for (unsigned i = 0; i < 30; i++) {
		quorum_deny(&s, DENIAL_CONFIG, 0);
		quorum_await_request(&s);
	}
	assert_in_range(said->request.term, term, term + 10);
	s.is_granting = true;
	stage_run(&s, 2 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

CASE(voter_denies_an_earlier_configuration_and_a_longer_lease, enter_voter)
{
	struct vote_request r = request_of(50);

	r.config_id.config_term--;
	r.config_id.digest[0]++;
	quorum_request(&s, &r);
	quorum_assert_voted(&s, &r, DENIAL_CONFIG);
	assert_int_equal(said->vote.config_tag, config_tag(&first));
	r = request_of(50);
	r.lease++;
	quorum_request(&s, &r);
	quorum_assert_voted(&s, &r, DENIAL_CONFIG);
	assert_false(s.durable.promise.term == 50);
	request(50);
	assert_int_equal(said->vote.denial, DENIAL_NONE);
}

/* What it promised stays, in the configuration that is in effect now. */
CASE(request_that_waits_for_the_disk_is_forgotten, enter_voter)
{
	struct vote_request r = request_of(50);

	s.is_slow = true;
	quorum_request(&s, &r);
	assert_true(s.is_persisting[0]);
	assert_int_equal(said->votes, 0);
	change(2);
	stage_persist(&s, 0, true);
	stage_run(&s, 50 * MSEC);
	assert_int_equal(said->votes, 0);
	s.is_slow = false;
	if (s.is_persisting[0])
		stage_persist(&s, 0, true);
	quorum_request(&s, &r);
	quorum_assert_voted(&s, &r, DENIAL_CONFIG);
	assert_int_equal(s.durable.promise.term, 50);
	request(50);
	assert_int_equal(said->vote.denial, DENIAL_NONE);
}

CASE(config_id_is_recorded_and_nobody_waits_for_that, enter_voter)
{
	request(50);
	s.is_slow = true;
	change(2);
	assert_true(s.is_persisting[0]);
	assert_true(
	    config_id_equal(&s.durable.config_id, &s.setups[0].config_id));
	assert_true(s.durable.lease == QUORUM_LEASE);
	request(50);
	assert_int_equal(said->vote.denial, DENIAL_NONE);
}

/* A start must wait for as long as any grant may bind it. */
CASE(longer_lease_is_durable_before_it_is_granted, enter_voter)
{
	request(50);
	s.is_slow = true;
	said->votes = 0;
	s.setups[0].timing.lease = LONGER;
	change(2);
	assert_true(s.is_persisting[0]);
	assert_true(s.durable.lease == LONGER);
	request(50);
	stage_run(&s, 50 * MSEC);
	assert_int_equal(said->votes, 0);
	stage_persist(&s, 0, true);
	stage_run(&s, 50 * MSEC);
	assert_int_equal(said->votes, 1);
	assert_int_equal(said->vote.denial, DENIAL_NONE);
}

/* A write that began before the change does not have it. */
CASE(longer_lease_waits_for_a_write_of_its_own, enter_voter)
{
	s.is_slow = true;
	request(50);
	assert_true(s.is_persisting[0]);
	s.setups[0].timing.lease = LONGER;
	change(2);
	request(50);
	stage_persist(&s, 0, true);
	stage_run(&s, 50 * MSEC);
	assert_int_equal(said->votes, 0);
	assert_true(s.is_persisting[0]);
	assert_true(s.durable.lease == LONGER);
	stage_persist(&s, 0, true);
	stage_run(&s, 50 * MSEC);
	assert_int_equal(said->votes, 1);
}

CASE(shorter_lease_is_recorded_once_the_longer_has_run_out, enter_voter)
{
	request(50);
	s.setups[0].timing.lease = QUORUM_LEASE / 4;
	change(2);
	assert_true(s.durable.lease == QUORUM_LEASE);
	stage_run(&s, QUORUM_LEASE - STAGE_BEAT);
	request(51);
	assert_true(s.durable.promise.term == 51);
	assert_true(s.durable.lease == QUORUM_LEASE);
	stage_run(&s, STAGE_BEAT);
	request(52);
	assert_true(s.durable.promise.term == 52);
	assert_true(s.durable.lease == QUORUM_LEASE / 4);
}

/* One after another: the longest binds. */
CASE(lease_that_grows_and_shrinks_again_is_not_forgotten, enter_voter)
{
	s.setups[0].timing.lease = LONGER;
	change(2);
	request(50);
	s.setups[0].timing.lease = QUORUM_LEASE;
	change(3);
	assert_true(s.durable.lease == LONGER);
	s.setups[0].timing.lease = QUORUM_LEASE / 4;
	change(4);
	stage_run(&s, LONGER - SEC);
	request(51);
	assert_true(s.durable.promise.term == 51);
	assert_true(s.durable.lease == LONGER);
}

CASE(voter_that_becomes_an_observer_is_heard_no_more, enter_voter)
{
	assert_int_equal(stage_status(&s, 0).votes, 2);
	assert_int_equal(stage_status(&s, 0).voters, 3);
	s.configured[0][0].role = ROLE_OBSERVER;
	s.configured[0][1].role = ROLE_OBSERVER;
	change(2);
	assert_int_equal(stage_status(&s, 0).votes, 1);
	assert_int_equal(stage_status(&s, 0).voters, 1);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(stage_status(&s, 0).votes, 1);
}

CASE(node_that_becomes_an_observer_votes_no_more, enter_voter)
{
	request(50);
	assert_int_equal(said->votes, 1);
	s.setups[0].role = ROLE_OBSERVER;
	change(2);
	assert_int_equal(stage_status(&s, 0).voters, 2);
	assert_false(stage_status(&s, 0).has_vote);
	request(51);
	stage_run(&s, SEC);
	assert_int_equal(said->votes, 1);
	/* As a voter again it knows what it promised. */
	s.setups[0].role = ROLE_VOTER;
	change(3);
	request(50);
	stage_run(&s, SEC);
	assert_int_equal(said->votes, 2);
	assert_int_equal(s.durable.promise.term, 50);
}

/* No leader has stamped it: it may have come after a configuration whose
 * voters are others, and whose terms are lower. */
CASE(config_id_without_a_config_term_begins_with_terms_of_its_config_version,
    NULL)
{
	const struct config_id config_id = { .config_version = 3,
		.digest = "first" };

	quorum_set(&s);
	quorum_exchange(&s, &config_id);
	s.is_granting = true;
	quorum_begin(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_in_range(stage_status(&s, 0).term, 3 * CONFIG_VERSION_TERMS + 1,
	    3 * CONFIG_VERSION_TERMS + 100);
}

/* The cluster has been counting since. A term of the config version is
 * credible. */
CASE(stamped_configuration_goes_on_with_the_terms_that_were_seen, NULL)
{
	const struct config_id config_id = { .config_term = 8,
		.config_version = 3 };

	quorum_set(&s);
	quorum_exchange(&s, &config_id);
	s.setups[0].durable.term = 8;
	s.is_granting = true;
	quorum_begin(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_in_range(stage_status(&s, 0).term, 9, 100);
	s.is_granting = false;
	stage_run(&s, 2 * QUORUM_LEASE);
	request(3 * CONFIG_VERSION_TERMS + 5);
	assert_int_equal(said->vote.denial, DENIAL_NONE);
	assert_true(s.durable.promise.term == 3 * CONFIG_VERSION_TERMS + 5);
}

/* Nothing is on its way that would make them agree. */
CASE(voter_with_another_file_counts_no_more_after_a_while, NULL)
{
	const struct config_id ours = { .config_version = 3, .digest = "ours" };
	const struct config_id other = { .config_version = 3,
		.digest = "other" };

	quorum_set(&s);
	quorum_exchange(&s, &ours);
	quorum_begin(&s, SEC);
	assert_int_equal(stage_status(&s, 0).votes, 2);
	quorum_move_member(&s, &other);
	assert_int_equal(stage_status(&s, 0).votes, 2);
	stage_run(&s, 20 * SEC);
	assert_int_equal(stage_status(&s, 0).votes, 1);
	assert_int_equal(stage_status(&s, 0).state, STATE_NO_QUORUM);
	assert_true(node_peer_status(s.nodes[0], 0).is_voter);
	assert_false(node_peer_status(s.nodes[0], 0).votes);
	said->requests = 0;
	stage_run(&s, 5 * SEC);
	assert_int_equal(said->requests, 0);
	quorum_move_member(&s, &ours);
	assert_int_equal(stage_status(&s, 0).votes, 2);
	s.is_granting = true;
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

/* The voter learns our configuration, or we learn the voter's. */
CASE(voter_that_stays_behind_a_config_term_counts, enter)
{
	const struct config_id other = { .config_version = 3,
		.digest = "other" };

	quorum_move_member(&s, &other);
	stage_run(&s, 20 * SEC);
	assert_int_equal(stage_status(&s, 0).votes, 2);
	assert_true(node_peer_status(s.nodes[0], 0).votes);
}
