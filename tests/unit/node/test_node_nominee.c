/* SPDX-License-Identifier: ISC */
/*
 * A node as a nominee: how it comes to lead, for how long, what it reports of
 * that, and how it gives up.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#include <string.h>

/* Nine elevenths of the time that a grant binds a voter, less the step-down
 * guard: an upper bound of what a leader may believe after its request. */
#define LEASE_AT_MOST (QUORUM_LEASE / 11 * 9)

static struct stage s;
static struct said *const said = &s.members[0].said;

#define ALONE(name)  STAGE_CASE(name, NULL, &s)
#define CASE(name)   STAGE_CASE(name, quorum_enter, &s)
#define LEADER(name) STAGE_CASE(name, quorum_enter_leader, &s)

/* The nominee's own grant counts, but only when its promise is durable. */
CASE(nominee_wins_pre_vote_and_vote_and_leads_once_its_promise_is_durable)
{
	uint64_t term;

	s.is_slow = true;
	quorum_await_request(&s);
	term = said->request.term;
	assert_true(said->request.is_prevote);
	assert_false(s.is_persisting[0]);
	stage_grant(&s, 0);
	assert_true(said->has_request);
	assert_false(said->request.is_prevote);
	assert_int_equal(said->request.term, term);
	assert_true(s.is_persisting[0]);
	assert_int_equal(s.durable.promise.term, term);
	assert_int_equal(s.durable.promise.owner.id, 2);
	assert_int_equal(s.durable.promise.owner.incarnation, 7);
	stage_grant(&s, 0);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(node_hand_out(s.nodes[0], s.now), 0);
	stage_persist(&s, 0, true);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, 0).term, term);
}

CASE(nominee_whose_disk_fails_does_not_lead)
{
	s.is_slow = true;
	quorum_await_request(&s);
	stage_grant(&s, 0);
	stage_grant(&s, 0);
	stage_persist(&s, 0, false);
	s.is_granting = true;
	stage_run(&s, 10 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(stage_status(&s, 0).state, STATE_NO_QUORUM);
	assert_int_equal(stage_status(&s, 0).votes, 1);
	assert_int_equal(s.notices[NOTICE_LEADER], 0);
	assert_false(s.members[0].heard.flags & BODY_ELIGIBLE);
	assert_int_equal(stage_elect(&s, 0), 0);
}

/* The lease counts from when the request was sent, not from the grant. */
CASE(lease_counts_from_the_vote_request_however_late_the_grant_comes)
{
	nsec_t sent;

	quorum_await_request(&s);
	stage_grant(&s, 0);
	assert_false(said->request.is_prevote);
	sent = said->request.sent;
	stage_run(&s, STAGE_BEAT / 2);
	said->request.sent = sent;
	said->has_request = true;
	stage_grant(&s, 0);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_true(stage_status(&s, 0).until > s.now);
	assert_true(stage_status(&s, 0).until <= sent + LEASE_AT_MOST);
}

LEADER(leader_whose_renewals_are_not_granted_gives_up_in_time)
{
	struct node_status status = stage_status(&s, 0);
	uint64_t term = status.term;
	unsigned releases;

	assert_true(status.until > s.now);
	assert_true(status.until <= s.now + LEASE_AT_MOST);
	s.is_granting = false;
	status = stage_status(&s, 0);
	stage_run(&s, status.until - s.now - 1);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	releases = said->releases;
	/* The answer is computed, so the node need not run for it. */
	s.now++;
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(node_hand_out(s.nodes[0], s.now), 0);
	stage_run(&s, STAGE_BEAT);
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(s.lead.reason.kind, REASON_LEASE);
	assert_true(said->releases > releases);
	assert_true(said->release.term >= term);
	/* The term is spent. */
	s.is_granting = true;
	stage_run(&s, 10 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_true(stage_status(&s, 0).term > term);
}

CASE(candidate_that_is_denied_for_a_promise_begins_above_it)
{
	struct vote_response v = { .denial = DENIAL_PROMISED, .promised = 777 };
	nsec_t denied_at;

	quorum_await_request(&s);
	v.term = said->request.term;
	v.sent = said->request.sent;
	v.is_prevote = said->request.is_prevote;
	denied_at = s.now;
	stage_vote(&s, 0, &v);
	quorum_await_request(&s);
	assert_int_equal(said->request.term, 778);
	assert_true(s.now < denied_at + SEC);
	/* A repeated denial is about an earlier request. */
	stage_vote(&s, 0, &v);
	assert_int_equal(stage_status(&s, 0).term, 778);
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

	quorum_await_request(&s);
	v.term = renewal.term = said->request.term;
	v.sent = said->request.sent;
	v.is_prevote = true;
	stage_vote(&s, 0, &v);
	quorum_request(&s, &renewal);
	quorum_assert_voted(&s, &renewal, DENIAL_NONE);
	said->requests = 0;
	for (int i = 0; i < 100 && said->requests == 0; i++) {
		stage_run(&s, STAGE_BEAT / 2);
		renewal.sent += STAGE_BEAT / 2;
		quorum_request(&s, &renewal);
	}
	assert_int_equal(said->request.term, 778);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
}

/* Such a sender is broken or hostile, and must not use up the terms. It makes
 * the node take one step only. */
CASE(promise_of_an_absurd_term_is_not_believed)
{
	struct vote_response v = { .denial = DENIAL_PROMISED,
		.promised = TERM_MAX };
	uint64_t term;

	quorum_await_request(&s);
	v.term = said->request.term;
	v.sent = said->request.sent;
	v.is_prevote = said->request.is_prevote;
	stage_vote(&s, 0, &v);
	stage_run(&s, SEC);
	term = stage_status(&s, 0).term;
	assert_in_range(term, TERM_JUMP_QUORUM, TERM_JUMP_QUORUM + 1000);
	s.is_granting = true;
	stage_run(&s, 10 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

/* The nomination by an earlier election is over. */
CASE(nominee_that_a_later_election_reaches_requests_votes_in_it)
{
	struct message election = {
		.rank = { .is_eligible = true, .is_contender = true, .id = 1 }
	};
	uint8_t frames[FRAME_BYTES + TAGGED_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	quorum_await_request(&s);
	election.term = said->request.term + 5;
	member_write_message(&s.members[0], &w, &election);
	stage_beat(&s, 0, w.start, w.size, 1);
	said->has_request = false;
	quorum_await_request(&s);
	assert_int_equal(said->request.term, election.term);
	assert_true(said->request.is_prevote);
	s.is_granting = true;
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, 0).term, election.term);
}

/* The member sends a binding request; the leader's own vote is its own. */
LEADER(leaders_own_vote_is_denied_while_its_lease_runs)
{
	struct vote_request c = { .sent = 1 };

	c.term = stage_status(&s, 0).term + 1;
	quorum_request(&s, &c);
	assert_true(said->has_vote);
	assert_int_equal(said->vote.denial, DENIAL_HELD);
	assert_in_range(said->vote.wait_ms, 1, QUORUM_LEASE / MSEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

/* The leader requests votes for the later term while it holds the lease. */
LEADER(leader_that_must_elect_leads_on_in_the_later_term)
{
	unsigned lost = s.notices[NOTICE_NO_LEADER];
	uint64_t term;

	term = stage_elect(&s, 0);
	assert_true(term > 0);
	for (int i = 0; i < 20; i++) {
		stage_run(&s, 50 * MSEC);
		assert_int_equal(stage_status(&s, 0).leader, 2);
	}
	assert_int_equal(stage_status(&s, 0).term, term);
	assert_int_equal(s.notices[NOTICE_NO_LEADER], lost);
}

LEADER(leader_whose_disk_fails_gives_up)
{
	s.is_slow = true;
	stage_elect(&s, 0);
	for (int i = 0; i < 200 && !s.is_persisting[0]; i++)
		stage_run(&s, 10 * MSEC);
	assert_int_equal(stage_status(&s, 0).leader, 2);
	stage_persist(&s, 0, false);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(s.lead.reason.kind, REASON_STATE_FILE);
	assert_int_equal(node_hand_out(s.nodes[0], s.now), 0);
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
}

/* The state file is missing, damaged, another node's, or revoked and marked so.
 */
ALONE(node_without_a_sound_state_neither_votes_nor_is_eligible)
{
	static const enum state_health memories[] = { STATE_HEALTH_LOST,
		STATE_HEALTH_REVOKED };

	for (unsigned i = 0; i < 2; i++) {
		struct vote_request c = { .term = 50, .sent = 1 };

		quorum_set(&s);
		s.setups[0].state_health = memories[i];
		quorum_begin(&s, 0);
		s.is_granting = true;
		stage_run(&s, 5 * SEC);
		assert_int_equal(said->requests, 0);
		assert_int_equal(stage_status(&s, 0).votes, 1);
		assert_int_equal(stage_status(&s, 0).state, STATE_NO_QUORUM);
		assert_false(
		    s.members[0].heard.flags & (BODY_VOTES | BODY_ELIGIBLE));
		quorum_request(&s, &c);
		assert_int_equal(said->vote.denial, DENIAL_STATE_FILE);
		if (i == 0)
			stage_strike(&s);
	}
}

/* A voter that has just started names how long it must wait. */
CASE(denied_nominee_asks_again_when_it_was_told_to)
{
	struct vote_response v = { .denial = DENIAL_QUARANTINE, .wait_ms = 30 };
	uint64_t term;

	quorum_await_request(&s);
	v.term = term = said->request.term;
	v.sent = said->request.sent;
	v.is_prevote = true;
	stage_vote(&s, 0, &v);
	said->has_request = false;
	said->requests = 0;
	stage_run(&s, 30 * MSEC);
	assert_int_equal(said->requests, 1);
	assert_int_equal(said->request.term, term);
}

/* A vote response counts for the peer of its session; an observer has none. */
ALONE(votes_of_observers_do_not_count)
{
	quorum_set(&s);
	s.configured[0][0].role = ROLE_OBSERVER;
	quorum_begin(&s, 0);
	s.is_granting = true;
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).voters, 2);
	assert_int_equal(stage_status(&s, 0).votes, 1);
	assert_int_equal(stage_status(&s, 0).state, STATE_NO_QUORUM);
	assert_int_equal(stage_elect(&s, 0), 0);
	stage_vote(&s, 0, &(struct vote_response){ .term = 1, .sent = s.now });
	assert_int_equal(stage_status(&s, 0).state, STATE_NO_QUORUM);
	assert_int_equal(said->requests, 0);
}

/* The leader had a majority; then half of that can vote no longer. */
LEADER(loss_and_return_of_the_majority_are_reported)
{
	unsigned before = s.notices[NOTICE_QUORUM];

	s.members[0].is_voting = s.is_granting = false;
	stage_run(&s, 3 * SEC);
	assert_int_equal(s.notices[NOTICE_QUORUM], before + 1);
	assert_int_equal(stage_status(&s, 0).state, STATE_NO_QUORUM);
	assert_int_equal(stage_elect(&s, 0), 0);
	s.members[0].is_voting = s.is_granting = true;
	stage_run(&s, 5 * SEC);
	assert_int_equal(s.notices[NOTICE_QUORUM], before + 2);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(s.lead.reason.kind, REASON_QUORUM);
}

/* Nobody relies on it, and nobody else can lead: it says goodbye, and gives its
 * term up, at once. */
LEADER(leader_that_handed_nothing_out_stops_at_once)
{
	unsigned releases = said->releases;

	s.members[0].is_abstaining = true;
	stage_run(&s, 2 * STAGE_BEAT);
	stage_stop(&s, 0);
	assert_true(node_stopped(s.nodes[0]));
	assert_true(s.members[0].goodbyes > 0);
	assert_true(said->releases > releases);
	assert_int_equal(stage_elect(&s, 0), 0);
}

LEADER(leader_leads_on_until_its_last_deadline_has_passed)
{
	unsigned releases = said->releases;
	nsec_t until = node_hand_out(s.nodes[0], s.now);

	assert_true(until > s.now);
	s.members[0].is_abstaining = true;
	stage_stop(&s, 0);
	assert_false(node_stopped(s.nodes[0]));
	assert_int_equal(stage_status(&s, 0).leader, 2);
	assert_int_equal(stage_elect(&s, 0), 0);
	/* A client that asks again gets no later deadline. */
	stage_run(&s, STAGE_BEAT);
	assert_true(node_hand_out(s.nodes[0], s.now) <= until);
	stage_run(&s, until - s.now - 1);
	assert_false(node_stopped(s.nodes[0]));
	assert_int_equal(stage_status(&s, 0).leader, 2);
	assert_int_equal(s.members[0].goodbyes, 0);
	assert_int_equal(said->releases, releases);
	stage_run(&s, 1);
	assert_true(node_stopped(s.nodes[0]));
	assert_true(s.members[0].goodbyes > 0);
	assert_true(said->releases > releases);
	stage_stop(&s, 0);
	assert_true(node_stopped(s.nodes[0]));
}

/* Others know of later lives of this node, whose promises it has forgotten. */
ALONE(node_whose_state_is_an_old_copy_votes_no_more)
{
	struct handshake h = { .verdict = VERDICT_STALE, .known = 41 };
	uint8_t datagram[PACKET_MAX];
	size_t size;

	quorum_set(&s);
	s.setups[0].durable.promise = (struct promise){ .term = 50,
		.owner = { .id = 3, .incarnation = 9 } };
	stage_start(&s);
	stage_run(&s, 0);
	assert_true(s.members[0].was_greeted);
	memcpy(h.echo, s.members[0].their_salt, SALT_BYTES);
	size = member_handshake(&s.members[0], PACKET_HELLO_ACK, &h, datagram);
	node_receive(s.nodes[0], s.now, 0, 0, datagram, size);
	stage_run(&s, 200 * MSEC);
	assert_true(s.durable.is_revoked);
	assert_int_equal(s.durable.incarnation, 42);
	assert_int_equal(s.durable.promise.term, 50);
	assert_int_equal(s.notices[NOTICE_STATE_FILE], 1);
	assert_int_equal(
	    stage_status(&s, 0).state_health, STATE_HEALTH_REVOKED);
	assert_false(stage_status(&s, 0).has_vote);
}

/* The same holds for the term that it promised, if that is higher. */
ALONE(terms_of_an_earlier_life_are_gone_above)
{
	for (uint64_t promised = 40; promised <= 60; promised += 20) {
		quorum_set(&s);
		s.setups[0].durable.term = 50;
		s.setups[0].durable.promise =
		    (struct promise){ .term = promised,
			    .owner = { .id = 2, .incarnation = 6 } };
		stage_start(&s);
		assert_int_equal(
		    stage_status(&s, 0).term, promised > 50 ? promised : 50);
		stage_run(&s, 0);
		stage_join(&s, 0);
		s.is_beating = true;
		stage_run(&s, 3 * SEC);
		assert_true(
		    said->request.term > (promised > 50 ? promised : 50));
		if (promised < 60)
			stage_strike(&s);
	}
}
