/* SPDX-License-Identifier: ISC */
/*
 * A node as a nominee: how it comes to lead, for how long, what it reports of
 * that, and how it gives up.
 */
#include "tests/lib/ballot.h"
#include "tests/unit/group.h"

#include <string.h>

/* Nine elevenths of the time that a grant binds a voter, less the step-down
 * guard: an upper bound of what a leader may believe after its request. */
#define LEASE_AT_MOST (BALLOT_LEASE / 11 * 9)

static struct ballot b;

#define ALONE(name)  BALLOT_CASE(name, NULL, &b)
#define CASE(name)   BALLOT_CASE(name, ballot_enter, &b)
#define LEADER(name) BALLOT_CASE(name, ballot_enter_leader, &b)

/* Its own grant counts, but only when its promise is durable. */
CASE(nominee_wins_pre_vote_and_vote_and_leads_once_its_promise_is_durable)
{
	uint64_t term;

	b.is_slow = true;
	ballot_await_request(&b);
	term = b.said.request.term;
	assert_true(b.said.request.is_prevote);
	assert_false(b.is_persisting);
	ballot_grant(&b);
	assert_true(b.said.has_request);
	assert_false(b.said.request.is_prevote);
	assert_int_equal(b.said.request.term, term);
	assert_true(b.is_persisting);
	assert_int_equal(b.durable.promise.term, term);
	assert_int_equal(b.durable.promise.owner.id, 2);
	assert_int_equal(b.durable.promise.owner.incarnation, 7);
	ballot_grant(&b);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	assert_int_equal(node_hand_out(b.node, b.now), 0);
	ballot_persist(&b, true);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(ballot_status(&b).term, term);
}

CASE(nominee_whose_disk_fails_does_not_lead)
{
	b.is_slow = true;
	ballot_await_request(&b);
	ballot_grant(&b);
	ballot_grant(&b);
	ballot_persist(&b, false);
	b.is_granting = true;
	ballot_run(&b, 10 * SEC);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	assert_int_equal(ballot_status(&b).state, STATE_NO_QUORUM);
	assert_int_equal(ballot_status(&b).votes, 1);
	assert_int_equal(b.notices[NOTICE_LEADER], 0);
	assert_false(b.member.heard.flags & BODY_ELIGIBLE);
	assert_int_equal(ballot_elect(&b), 0);
}

/* The lease counts from when the request was sent, not from the grant. */
CASE(lease_counts_from_the_vote_request_however_late_the_grant_comes)
{
	nsec_t sent;

	ballot_await_request(&b);
	ballot_grant(&b);
	assert_false(b.said.request.is_prevote);
	sent = b.said.request.sent;
	ballot_run(&b, BALLOT_BEAT / 2);
	b.said.request.sent = sent;
	b.said.has_request = true;
	ballot_grant(&b);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_true(ballot_status(&b).until > b.now);
	assert_true(ballot_status(&b).until <= sent + LEASE_AT_MOST);
}

LEADER(leader_whose_renewals_are_not_granted_gives_up_in_time)
{
	struct node_status status = ballot_status(&b);
	uint64_t term = status.term;
	unsigned releases;

	assert_true(status.until > b.now);
	assert_true(status.until <= b.now + LEASE_AT_MOST);
	b.is_granting = false;
	status = ballot_status(&b);
	ballot_run(&b, status.until - b.now - 1);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	releases = b.releases;
	/* The answer is computed, so the node need not run for it. */
	b.now++;
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	assert_int_equal(node_hand_out(b.node, b.now), 0);
	ballot_run(&b, BALLOT_BEAT);
	assert_int_equal(b.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(b.lead.reason.kind, REASON_LEASE);
	assert_true(b.releases > releases);
	assert_true(b.said.release.term >= term);
	/* The term is spent. */
	b.is_granting = true;
	ballot_run(&b, 10 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_true(ballot_status(&b).term > term);
}

CASE(candidate_that_is_denied_for_a_promise_begins_above_it)
{
	struct vote_response v = { .denial = DENIAL_PROMISED, .promised = 777 };
	nsec_t denied_at;

	ballot_await_request(&b);
	v.term = b.said.request.term;
	v.sent = b.said.request.sent;
	v.is_prevote = b.said.request.is_prevote;
	denied_at = b.now;
	ballot_vote(&b, &v);
	ballot_await_request(&b);
	assert_int_equal(b.said.request.term, 778);
	assert_true(b.now < denied_at + SEC);
	/* A repeated denial is about an earlier request. */
	ballot_vote(&b, &v);
	assert_int_equal(ballot_status(&b).term, 778);
}

/*
 * The member leads in the earlier term and renews its lease with every
 * heartbeat. We would not follow it, so we do not wait for it either: swarm
 * seed 207851.
 */
CASE(node_that_saw_a_later_term_elects_above_a_leader_of_an_earlier_one)
{
	struct vote_response v = { .denial = DENIAL_PROMISED, .promised = 777 };
	struct vote_request renewal = { .sent = 1 };

	ballot_await_request(&b);
	v.term = renewal.term = b.said.request.term;
	v.sent = b.said.request.sent;
	v.is_prevote = true;
	ballot_vote(&b, &v);
	ballot_request(&b, &renewal);
	ballot_assert_voted(&b, &renewal, DENIAL_NONE);
	b.requests = 0;
	for (int i = 0; i < 100 && b.requests == 0; i++) {
		ballot_run(&b, BALLOT_BEAT / 2);
		renewal.sent += BALLOT_BEAT / 2;
		ballot_request(&b, &renewal);
	}
	assert_int_equal(b.said.request.term, 778);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
}

/* Such a sender is broken or hostile, and must not use up the terms. It makes
 * the node take one step only. */
CASE(promise_of_an_absurd_term_is_not_believed)
{
	struct vote_response v = { .denial = DENIAL_PROMISED,
		.promised = TERM_MAX };
	uint64_t term;

	ballot_await_request(&b);
	v.term = b.said.request.term;
	v.sent = b.said.request.sent;
	v.is_prevote = b.said.request.is_prevote;
	ballot_vote(&b, &v);
	ballot_run(&b, SEC);
	term = ballot_status(&b).term;
	assert_in_range(term, TERM_JUMP_QUORUM, TERM_JUMP_QUORUM + 1000);
	b.is_granting = true;
	ballot_run(&b, 10 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
}

/* The nomination by an earlier election is over. */
CASE(nominee_that_a_later_election_reaches_requests_votes_in_it)
{
	struct message election = {
		.rank = { .is_eligible = true, .is_contender = true, .id = 1 }
	};
	uint8_t frames[FRAME_BYTES + TAGGED_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	ballot_await_request(&b);
	election.term = b.said.request.term + 5;
	member_write_message(&b.member, &w, &election);
	ballot_say(&b, &w, 1);
	b.said.has_request = false;
	ballot_await_request(&b);
	assert_int_equal(b.said.request.term, election.term);
	assert_true(b.said.request.is_prevote);
	b.is_granting = true;
	ballot_run(&b, SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(ballot_status(&b).term, election.term);
}

/* The member sends a binding request; the leader's own vote is its own. */
LEADER(leaders_own_vote_is_denied_while_its_lease_runs)
{
	struct vote_request c = { .sent = 1 };

	c.term = ballot_status(&b).term + 1;
	ballot_request(&b, &c);
	assert_true(b.said.has_vote);
	assert_int_equal(b.said.vote.denial, DENIAL_HELD);
	assert_in_range(b.said.vote.wait_ms, 1, BALLOT_LEASE / MSEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
}

/* It keeps the lead in a later term, for which it requests votes while it holds
 * the lease. */
LEADER(leader_that_must_elect_leads_on_in_the_later_term)
{
	unsigned lost = b.notices[NOTICE_NO_LEADER];
	uint64_t term;

	term = ballot_elect(&b);
	assert_true(term > 0);
	for (int i = 0; i < 20; i++) {
		ballot_run(&b, 50 * MSEC);
		assert_int_equal(ballot_status(&b).leader, 2);
	}
	assert_int_equal(ballot_status(&b).term, term);
	assert_int_equal(b.notices[NOTICE_NO_LEADER], lost);
}

LEADER(leader_whose_disk_fails_gives_up)
{
	b.is_slow = true;
	ballot_elect(&b);
	for (int i = 0; i < 200 && !b.is_persisting; i++)
		ballot_run(&b, 10 * MSEC);
	assert_int_equal(ballot_status(&b).leader, 2);
	ballot_persist(&b, false);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	assert_int_equal(b.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(b.lead.reason.kind, REASON_STATE_FILE);
	assert_int_equal(node_hand_out(b.node, b.now), 0);
	ballot_run(&b, 5 * SEC);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
}

/* The state file is missing, damaged, another node's, or revoked and marked so.
 */
ALONE(node_without_a_sound_state_neither_votes_nor_is_eligible)
{
	static const enum state_health memories[] = { STATE_HEALTH_LOST,
		STATE_HEALTH_REVOKED };

	for (unsigned i = 0; i < 2; i++) {
		struct vote_request c = { .term = 50, .sent = 1 };

		ballot_set(&b);
		b.setup.state_health = memories[i];
		ballot_start(&b);
		ballot_run(&b, 0);
		ballot_join(&b);
		b.is_granting = true;
		ballot_run(&b, 5 * SEC);
		assert_int_equal(b.requests, 0);
		assert_int_equal(ballot_status(&b).votes, 1);
		assert_int_equal(ballot_status(&b).state, STATE_NO_QUORUM);
		assert_false(
		    b.member.heard.flags & (BODY_VOTES | BODY_ELIGIBLE));
		ballot_request(&b, &c);
		assert_int_equal(b.said.vote.denial, DENIAL_STATE_FILE);
		if (i == 0)
			ballot_strike(&b);
	}
}

/* A voter that has just started names how long it must wait. */
CASE(denied_nominee_asks_again_when_it_was_told_to)
{
	struct vote_response v = { .denial = DENIAL_QUARANTINE, .wait_ms = 30 };
	uint64_t term;

	ballot_await_request(&b);
	v.term = term = b.said.request.term;
	v.sent = b.said.request.sent;
	v.is_prevote = true;
	ballot_vote(&b, &v);
	b.said.has_request = false;
	b.requests = 0;
	ballot_run(&b, 30 * MSEC);
	assert_int_equal(b.requests, 1);
	assert_int_equal(b.said.request.term, term);
}

/* A vote response counts for the peer of its session; an observer has none. */
ALONE(votes_of_observers_do_not_count)
{
	ballot_set(&b);
	b.peers[0].role = ROLE_OBSERVER;
	ballot_start(&b);
	ballot_run(&b, 0);
	ballot_join(&b);
	b.is_granting = true;
	ballot_run(&b, 5 * SEC);
	assert_int_equal(ballot_status(&b).voters, 2);
	assert_int_equal(ballot_status(&b).votes, 1);
	assert_int_equal(ballot_status(&b).state, STATE_NO_QUORUM);
	assert_int_equal(ballot_elect(&b), 0);
	ballot_vote(&b, &(struct vote_response){ .term = 1, .sent = b.now });
	assert_int_equal(ballot_status(&b).state, STATE_NO_QUORUM);
	assert_int_equal(b.requests, 0);
}

/* It had a majority; then half of that can vote no longer. */
LEADER(loss_and_return_of_the_majority_are_reported)
{
	unsigned before = b.notices[NOTICE_QUORUM];

	b.is_voting = b.is_granting = false;
	ballot_run(&b, 3 * SEC);
	assert_int_equal(b.notices[NOTICE_QUORUM], before + 1);
	assert_int_equal(ballot_status(&b).state, STATE_NO_QUORUM);
	assert_int_equal(ballot_elect(&b), 0);
	b.is_voting = b.is_granting = true;
	ballot_run(&b, 5 * SEC);
	assert_int_equal(b.notices[NOTICE_QUORUM], before + 2);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(b.lead.reason.kind, REASON_QUORUM);
}

/* Nobody relies on it, and nobody else can lead: it says goodbye, and gives its
 * term up, at once. */
LEADER(leader_that_handed_nothing_out_stops_at_once)
{
	unsigned releases = b.releases;

	b.is_abstaining = true;
	ballot_run(&b, 2 * BALLOT_BEAT);
	ballot_stop(&b);
	assert_true(node_stopped(b.node));
	assert_true(b.goodbyes > 0);
	assert_true(b.releases > releases);
	assert_int_equal(ballot_elect(&b), 0);
}

LEADER(leader_leads_on_until_its_last_deadline_has_passed)
{
	unsigned releases = b.releases;
	nsec_t until = node_hand_out(b.node, b.now);

	assert_true(until > b.now);
	b.is_abstaining = true;
	ballot_stop(&b);
	assert_false(node_stopped(b.node));
	assert_int_equal(ballot_status(&b).leader, 2);
	assert_int_equal(ballot_elect(&b), 0);
	/* A client that asks again gets no later deadline. */
	ballot_run(&b, BALLOT_BEAT);
	assert_true(node_hand_out(b.node, b.now) <= until);
	ballot_run(&b, until - b.now - 1);
	assert_false(node_stopped(b.node));
	assert_int_equal(ballot_status(&b).leader, 2);
	assert_int_equal(b.goodbyes, 0);
	assert_int_equal(b.releases, releases);
	ballot_run(&b, 1);
	assert_true(node_stopped(b.node));
	assert_true(b.goodbyes > 0);
	assert_true(b.releases > releases);
	ballot_stop(&b);
	assert_true(node_stopped(b.node));
}

/* Others know of later lives of this node, whose promises it has forgotten. */
ALONE(node_whose_state_is_an_old_copy_votes_no_more)
{
	struct handshake h = { .verdict = VERDICT_STALE, .known = 41 };
	uint8_t datagram[PACKET_MAX];
	size_t size;

	ballot_set(&b);
	b.setup.durable.promise =
	    (struct promise){ 50, { .id = 3, .incarnation = 9 }, false };
	ballot_start(&b);
	ballot_run(&b, 0);
	assert_true(b.member.was_greeted);
	memcpy(h.echo, b.member.their_salt, SALT_BYTES);
	size = member_handshake(&b.member, PACKET_HELLO_ACK, &h, datagram);
	node_receive(b.node, b.now, 0, 0, datagram, size);
	ballot_run(&b, 200 * MSEC);
	assert_true(b.durable.is_revoked);
	assert_int_equal(b.durable.incarnation, 42);
	assert_int_equal(b.durable.promise.term, 50);
	assert_int_equal(b.notices[NOTICE_STATE_FILE], 1);
	assert_int_equal(ballot_status(&b).state_health, STATE_HEALTH_REVOKED);
	assert_false(ballot_status(&b).has_vote);
}

/* The same holds for the term that it promised, if that is higher. */
ALONE(terms_of_an_earlier_life_are_gone_above)
{
	for (uint64_t promised = 40; promised <= 60; promised += 20) {
		ballot_set(&b);
		b.setup.durable.term = 50;
		b.setup.durable.promise = (struct promise){ promised,
			{ .id = 2, .incarnation = 6 }, false };
		ballot_start(&b);
		assert_int_equal(
		    ballot_status(&b).term, promised > 50 ? promised : 50);
		ballot_run(&b, 0);
		ballot_join(&b);
		ballot_run(&b, 3 * SEC);
		assert_true(
		    b.said.request.term > (promised > 50 ? promised : 50));
		if (promised < 60)
			ballot_strike(&b);
	}
}
