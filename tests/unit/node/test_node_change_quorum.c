/* SPDX-License-Identifier: ISC */
/*
 * Another configuration comes into effect under the guarantee "quorum"
 * (PROTOCOL.md, Changes of voters): what becomes of the lease of a leader, of
 * its term, of requests that wait, and of the durable state.
 */
#include "tests/lib/ballot.h"
#include "tests/unit/group.h"

#include <string.h>

#define LONGER (3 * BALLOT_LEASE)

static struct ballot b;

static const struct config_id first = { .config_term = 1, .digest = "first" };

/* Another configuration, with these settings besides: to be put into effect. */
static void
change(uint64_t config_term)
{
	b.setup.config_id.config_term = config_term;
	b.setup.config_id.config_version++;
	b.setup.config_id.digest[0]++;
	ballot_change(&b);
	node_check(b.node);
}

static int
enter(void **state)
{
	(void)state;
	ballot_set(&b);
	ballot_exchange(&b, &first);
	ballot_begin(&b, 3 * SEC);
	assert_true(b.requests > 0);
	return 0;
}

static int
enter_leader(void **state)
{
	enter(state);
	b.is_granting = true;
	ballot_run(&b, 5 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	return 0;
}

/* The node is no candidate, and its disk answers when the test says so. */
static int
enter_voter(void **state)
{
	(void)state;
	ballot_set(&b);
	ballot_exchange(&b, &first);
	b.setup.role = ROLE_VOTER;
	ballot_begin(&b, 3 * SEC);
	b.votes = 0;
	return 0;
}

/* The member's request in the configuration and with the lease of the node. */
static struct vote_request
request_of(uint64_t term)
{
	return (struct vote_request){
		.term = term,
		.sent = 12345,
		.lease = b.setup.timing.lease,
		.config_id = b.setup.config_id,
	};
}

static void
request(uint64_t term)
{
	const struct vote_request r = request_of(term);

	ballot_request(&b, &r);
}

#define CASE(name, enter) BALLOT_CASE(name, enter, &b)

CASE(leader_term_lease_and_session_go_on, enter_leader)
{
	struct node_status before = ballot_status(&b), after;
	unsigned elections = b.notices[NOTICE_ELECTION];

	change(before.term);
	after = ballot_status(&b);
	assert_int_equal(after.state, STATE_LEADER);
	assert_true(after.term == before.term);
	assert_true(after.until == before.until);
	assert_true(node_peer_status(b.node, 0).up);
	ballot_move_member(&b, &b.setup.config_id);
	ballot_run(&b, 3 * BALLOT_LEASE);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_true(ballot_status(&b).term == before.term);
	assert_int_equal(b.notices[NOTICE_NO_LEADER], 0);
	assert_int_equal(b.notices[NOTICE_ELECTION], elections);
}

/* The member's last grants were for requests before the change. */
CASE(leader_asks_anew_at_once_and_counts_no_earlier_grant, enter_leader)
{
	struct vote_request before;
	nsec_t until;

	b.is_granting = false;
	ballot_await_request(&b);
	before = b.said.request;
	until = ballot_status(&b).until;
	b.said.has_request = false;
	change(ballot_status(&b).term);
	ballot_vote(&b, &(struct vote_response){ .term = before.term,
			    .sent = before.sent,
			    .promised = before.term });
	assert_true(ballot_status(&b).until == until);
	ballot_run(&b, MSEC);
	assert_true(b.said.has_request);
	assert_true(b.said.request.sent > before.sent);
	assert_true(
	    config_id_equal(&b.said.request.config_id, &b.setup.config_id));
	ballot_grant(&b);
	assert_true(ballot_status(&b).until > until);
}

CASE(leader_that_nobody_grants_after_the_change_gives_up_in_time, enter_leader)
{
	nsec_t until;

	b.is_granting = false;
	change(ballot_status(&b).term);
	until = ballot_status(&b).until;
	ballot_run(&b, nsec_since(until, b.now) - 1);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	ballot_run(&b, 1);
	assert_int_not_equal(ballot_status(&b).state, STATE_LEADER);
}

CASE(deadline_that_a_client_has_stands, enter_leader)
{
	nsec_t until = node_hand_out(b.node, b.now);

	assert_true(until > b.now);
	b.setup.timing.lease = BALLOT_LEASE / 4;
	change(ballot_status(&b).term);
	ballot_run(&b, nsec_since(until, b.now) - 1);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
}

/* That leader has seen to it that our lease is over, or soon will be. */
CASE(leader_gives_up_when_a_later_one_has_stamped_its_settings, enter_leader)
{
	uint64_t term = ballot_status(&b).term;

	change(term + 1);
	assert_int_not_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(b.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(b.lead.reason.kind, REASON_LEASE);
	assert_int_equal(b.lead.reason.node, 2);
	ballot_move_member(&b, &b.setup.config_id);
	ballot_run(&b, 5 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_true(ballot_status(&b).term > term);
}

/* A client may rely on it until its lease is over. */
CASE(leader_that_becomes_an_observer_hands_over, enter_leader)
{
	nsec_t until = node_hand_out(b.node, b.now);
	uint64_t config_term;

	b.setup.role = ROLE_OBSERVER;
	b.setup.peers_count = 1;
	change(ballot_status(&b).term);
	ballot_move_member(&b, &b.setup.config_id);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(
	    node_step(b.node, b.now, &b.setup, &config_term), STEP_NOT_OURS);
	ballot_run(&b, nsec_since(until, b.now) - 1);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	ballot_run(&b, BALLOT_LEASE);
	assert_int_not_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(b.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(b.lead.reason.kind, REASON_REMOVED);
	assert_int_equal(b.lead.reason.node, 2);
}

/* The leader requests a later term, and the member comes to have an earlier
 * configuration, so that a planned handover waits. */
static uint64_t
elect_amid_two_configs(void)
{
	const struct config_id earlier = { .config_term = 0,
		.digest = "before" };
	uint64_t term;

	b.is_granting = false;
	term = ballot_elect(&b);
	assert_true(term > ballot_status(&b).term);
	ballot_run(&b, BALLOT_BEAT);
	assert_int_equal(b.said.request.term, term);
	ballot_move_member(&b, &earlier);
	assert_true(term > ballot_status(&b).term);
	return term;
}

/* The grants of the later term come, and the handover after that. */
static void
assert_wins_and_hands_over(uint64_t term)
{
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	b.is_granting = true;
	ballot_run(&b, 3 * BALLOT_BEAT);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(ballot_status(&b).term, term);
	ballot_move_member(&b, &b.setup.config_id);
	ballot_run(&b, 5 * SEC);
	assert_int_not_equal(ballot_status(&b).state, STATE_LEADER);
}

CASE(leader_that_is_set_aside_may_win_a_later_term_first, enter_leader)
{
	const struct standby aside = { .is_on = true, .left = NSEC_NEVER };
	uint64_t term = elect_amid_two_configs();

	node_set_standby(b.node, b.now, &aside);
	assert_wins_and_hands_over(term);
	assert_int_equal(b.lead.reason.kind, REASON_RESIGN);
}

CASE(leader_that_is_no_candidate_may_win_a_later_term_first, enter_leader)
{
	uint64_t term = elect_amid_two_configs();

	b.setup.role = ROLE_VOTER;
	change(ballot_status(&b).term);
	assert_wins_and_hands_over(term);
	assert_int_equal(b.lead.reason.kind, REASON_REMOVED);
}

/* Whatever it asked, it asked other voters, for another lease. */
CASE(nominee_asks_no_more_and_answers_come_to_nothing, enter)
{
	struct vote_request before;
	uint64_t term;

	ballot_await_request(&b);
	before = b.said.request;
	change(2);
	b.said.has_request = false;
	ballot_vote(&b, &(struct vote_response){ .term = before.term,
			    .sent = before.sent,
			    .is_prevote = before.is_prevote });
	assert_false(b.said.has_request);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	term = before.term;
	ballot_move_member(&b, &b.setup.config_id);
	b.is_granting = true;
	ballot_run(&b, 5 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_true(ballot_status(&b).term > term);
}

CASE(requests_say_lease_and_configuration, enter)
{
	assert_true(b.said.request.lease == BALLOT_LEASE);
	assert_true(config_id_equal(&b.said.request.config_id, &first));
	b.setup.timing.lease = LONGER;
	change(2);
	ballot_move_member(&b, &b.setup.config_id);
	ballot_await_request(&b);
	assert_true(b.said.request.lease == LONGER);
	assert_true(
	    config_id_equal(&b.said.request.config_id, &b.setup.config_id));
}

/* The documents are on their way: it neither gives up nor outbids anybody. */
CASE(nominee_whose_configuration_is_denied_goes_on_asking, enter)
{
	uint64_t term;

	ballot_await_request(&b);
	term = b.said.request.term;
	for (unsigned i = 0; i < 30; i++) {
		ballot_vote(
		    &b, &(struct vote_response){ .term = b.said.request.term,
			    .sent = b.said.request.sent,
			    .is_prevote = b.said.request.is_prevote,
			    .denial = DENIAL_CONFIG });
		ballot_await_request(&b);
	}
	assert_in_range(b.said.request.term, term, term + 10);
	b.is_granting = true;
	ballot_run(&b, 2 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
}

CASE(voter_denies_an_earlier_configuration_and_a_longer_lease, enter_voter)
{
	struct vote_request r = request_of(50);

	r.config_id.config_term--;
	r.config_id.digest[0]++;
	ballot_request(&b, &r);
	ballot_assert_voted(&b, &r, DENIAL_CONFIG);
	assert_int_equal(b.said.vote.config_id, config_tag(&first));
	r = request_of(50);
	r.lease++;
	ballot_request(&b, &r);
	ballot_assert_voted(&b, &r, DENIAL_CONFIG);
	assert_false(b.durable.promise.term == 50);
	request(50);
	assert_int_equal(b.said.vote.denial, DENIAL_NONE);
}

/* What it promised stays, in the configuration that is in effect now. */
CASE(request_that_waits_for_the_disk_is_forgotten, enter_voter)
{
	struct vote_request r = request_of(50);

	b.is_slow = true;
	ballot_request(&b, &r);
	assert_true(b.is_persisting);
	assert_int_equal(b.votes, 0);
	change(2);
	ballot_persist(&b, true);
	ballot_run(&b, 50 * MSEC);
	assert_int_equal(b.votes, 0);
	b.is_slow = false;
	if (b.is_persisting)
		ballot_persist(&b, true);
	ballot_request(&b, &r);
	ballot_assert_voted(&b, &r, DENIAL_CONFIG);
	assert_int_equal(b.durable.promise.term, 50);
	request(50);
	assert_int_equal(b.said.vote.denial, DENIAL_NONE);
}

CASE(config_id_is_recorded_and_nobody_waits_for_that, enter_voter)
{
	request(50);
	b.is_slow = true;
	change(2);
	assert_true(b.is_persisting);
	assert_true(config_id_equal(&b.durable.config_id, &b.setup.config_id));
	assert_true(b.durable.lease == BALLOT_LEASE);
	request(50);
	assert_int_equal(b.said.vote.denial, DENIAL_NONE);
}

/* A start must wait for as long as any grant may bind it. */
CASE(longer_lease_is_durable_before_it_is_granted, enter_voter)
{
	request(50);
	b.is_slow = true;
	b.votes = 0;
	b.setup.timing.lease = LONGER;
	change(2);
	assert_true(b.is_persisting);
	assert_true(b.durable.lease == LONGER);
	request(50);
	ballot_run(&b, 50 * MSEC);
	assert_int_equal(b.votes, 0);
	ballot_persist(&b, true);
	ballot_run(&b, 50 * MSEC);
	assert_int_equal(b.votes, 1);
	assert_int_equal(b.said.vote.denial, DENIAL_NONE);
}

/* A write that began before the change does not have it. */
CASE(longer_lease_waits_for_a_write_of_its_own, enter_voter)
{
	b.is_slow = true;
	request(50);
	assert_true(b.is_persisting);
	b.setup.timing.lease = LONGER;
	change(2);
	request(50);
	ballot_persist(&b, true);
	ballot_run(&b, 50 * MSEC);
	assert_int_equal(b.votes, 0);
	assert_true(b.is_persisting);
	assert_true(b.durable.lease == LONGER);
	ballot_persist(&b, true);
	ballot_run(&b, 50 * MSEC);
	assert_int_equal(b.votes, 1);
}

CASE(shorter_lease_is_recorded_once_the_longer_has_run_out, enter_voter)
{
	request(50);
	b.setup.timing.lease = BALLOT_LEASE / 4;
	change(2);
	assert_true(b.durable.lease == BALLOT_LEASE);
	ballot_run(&b, BALLOT_LEASE - BALLOT_BEAT);
	request(51);
	assert_true(b.durable.promise.term == 51);
	assert_true(b.durable.lease == BALLOT_LEASE);
	ballot_run(&b, BALLOT_BEAT);
	request(52);
	assert_true(b.durable.promise.term == 52);
	assert_true(b.durable.lease == BALLOT_LEASE / 4);
}

/* One after another: the longest binds. */
CASE(lease_that_grows_and_shrinks_again_is_not_forgotten, enter_voter)
{
	b.setup.timing.lease = LONGER;
	change(2);
	request(50);
	b.setup.timing.lease = BALLOT_LEASE;
	change(3);
	assert_true(b.durable.lease == LONGER);
	b.setup.timing.lease = BALLOT_LEASE / 4;
	change(4);
	ballot_run(&b, LONGER - SEC);
	request(51);
	assert_true(b.durable.promise.term == 51);
	assert_true(b.durable.lease == LONGER);
}

CASE(voter_that_becomes_an_observer_is_heard_no_more, enter_voter)
{
	assert_int_equal(ballot_status(&b).votes, 2);
	assert_int_equal(ballot_status(&b).voters, 3);
	b.peers[0].role = ROLE_OBSERVER;
	b.peers[1].role = ROLE_OBSERVER;
	change(2);
	assert_int_equal(ballot_status(&b).votes, 1);
	assert_int_equal(ballot_status(&b).voters, 1);
	ballot_say(&b, NULL, 0);
	assert_int_equal(ballot_status(&b).votes, 1);
}

CASE(node_that_becomes_an_observer_votes_no_more, enter_voter)
{
	request(50);
	assert_int_equal(b.votes, 1);
	b.setup.role = ROLE_OBSERVER;
	change(2);
	assert_int_equal(ballot_status(&b).voters, 2);
	assert_false(ballot_status(&b).has_vote);
	request(51);
	ballot_run(&b, SEC);
	assert_int_equal(b.votes, 1);
	/* As a voter again it knows what it promised. */
	b.setup.role = ROLE_VOTER;
	change(3);
	request(50);
	ballot_run(&b, SEC);
	assert_int_equal(b.votes, 2);
	assert_int_equal(b.durable.promise.term, 50);
}

/* No leader has stamped it: it may have come after a configuration whose
 * voters are others, and whose terms are lower. */
CASE(config_id_without_a_config_term_begins_with_terms_of_its_config_version,
    NULL)
{
	const struct config_id config_id = { .config_version = 3,
		.digest = "first" };

	ballot_set(&b);
	ballot_exchange(&b, &config_id);
	b.is_granting = true;
	ballot_begin(&b, 5 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_in_range(ballot_status(&b).term, 3 * CONFIG_VERSION_TERMS + 1,
	    3 * CONFIG_VERSION_TERMS + 100);
}

/* The cluster has been counting since. A term of the config version is
 * credible. */
CASE(stamped_configuration_goes_on_with_the_terms_that_were_seen, NULL)
{
	const struct config_id config_id = { .config_term = 8,
		.config_version = 3 };

	ballot_set(&b);
	ballot_exchange(&b, &config_id);
	b.setup.durable.term = 8;
	b.is_granting = true;
	ballot_begin(&b, 5 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_in_range(ballot_status(&b).term, 9, 100);
	b.is_granting = false;
	ballot_run(&b, 2 * BALLOT_LEASE);
	request(3 * CONFIG_VERSION_TERMS + 5);
	assert_int_equal(b.said.vote.denial, DENIAL_NONE);
	assert_true(b.durable.promise.term == 3 * CONFIG_VERSION_TERMS + 5);
}

/* Nothing is on its way that would make them agree. */
CASE(voter_with_another_file_counts_no_more_after_a_while, NULL)
{
	const struct config_id ours = { .config_version = 3, .digest = "ours" };
	const struct config_id other = { .config_version = 3,
		.digest = "other" };

	ballot_set(&b);
	ballot_exchange(&b, &ours);
	ballot_begin(&b, SEC);
	assert_int_equal(ballot_status(&b).votes, 2);
	ballot_move_member(&b, &other);
	assert_int_equal(ballot_status(&b).votes, 2);
	ballot_run(&b, 20 * SEC);
	assert_int_equal(ballot_status(&b).votes, 1);
	assert_int_equal(ballot_status(&b).state, STATE_NO_QUORUM);
	assert_true(node_peer_status(b.node, 0).is_voter);
	assert_false(node_peer_status(b.node, 0).votes);
	b.requests = 0;
	ballot_run(&b, 5 * SEC);
	assert_int_equal(b.requests, 0);
	ballot_move_member(&b, &ours);
	assert_int_equal(ballot_status(&b).votes, 2);
	b.is_granting = true;
	ballot_run(&b, 5 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
}

/* It learns ours, or we learn its one. */
CASE(voter_that_stays_behind_a_config_term_counts, enter)
{
	const struct config_id other = { .config_version = 3,
		.digest = "other" };

	ballot_move_member(&b, &other);
	ballot_run(&b, 20 * SEC);
	assert_int_equal(ballot_status(&b).votes, 2);
	assert_true(node_peer_status(b.node, 0).votes);
}
