/* SPDX-License-Identifier: ISC */
/*
 * Requests and responses that come too late, or of past terms: they must
 * neither make a nominee lead nor cost it its term.
 */
#include "tests/lib/ballot.h"
#include "tests/lib/puppet.h"
#include "tests/unit/group.h"

static struct ballot b;

/* Denies the node's last request. */
static void
deny(enum denial denial, uint64_t promised)
{
	ballot_vote(&b, &(struct vote_response){
			    .term = b.said.request.term,
			    .sent = b.said.request.sent,
			    .is_prevote = b.said.request.is_prevote,
			    .denial = denial,
			    .promised = promised,
			});
}

/* The member grants the pre-vote; gives the term of the binding request. */
static uint64_t
binding_request(void)
{
	ballot_await_request(&b);
	ballot_grant(&b);
	assert_true(b.said.has_request);
	assert_false(b.said.request.is_prevote);
	return b.said.request.term;
}

#define ALONE(name)  BALLOT_CASE(name, NULL, &b)
#define CASE(name)   BALLOT_CASE(name, ballot_enter, &b)
#define LEADER(name) BALLOT_CASE(name, ballot_enter_leader, &b)

/* Its disk may take any time. */
CASE(candidate_waits_for_a_voter_that_does_not_answer)
{
	uint64_t term = binding_request();

	ballot_run(&b, 60 * SEC);
	ballot_await_request(&b);
	assert_int_equal(b.said.request.term, term);
	ballot_grant(&b);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(ballot_status(&b).term, term);
}

CASE(candidate_that_cannot_win_begins_again)
{
	uint64_t term = binding_request();

	deny(DENIAL_HELD, 0);
	ballot_run(&b, 10 * SEC);
	ballot_await_request(&b);
	assert_true(b.said.request.term > term);
}

/* It has our voter's promise, and goes on with its request, or gives up. */
CASE(candidate_is_waited_for_until_it_gives_up)
{
	struct vote_request c = { .term = 50, .sent = 1 };
	unsigned elections = b.notices[NOTICE_ELECTION];

	for (; c.sent < 50; c.sent++) {
		ballot_request(&b, &c);
		ballot_run(&b, BALLOT_BEAT);
	}
	assert_true(b.said.has_vote);
	assert_int_equal(b.said.vote.denial, DENIAL_NONE);
	assert_int_equal(b.notices[NOTICE_ELECTION], elections);
	ballot_release(&b, c.term);
	assert_int_equal(b.notices[NOTICE_ELECTION], elections + 1);
}

/* The member knows of no leader in this term. */
static void
tell_term(uint64_t term)
{
	struct beacon beacon = { .term = term };
	uint8_t frames[FRAME_BYTES + BEACON_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	member_write_beacon(&w, &beacon);
	ballot_say(&b, &w, 1);
}

/* Its grant and the word that its id is in use twice, in one datagram. */
CASE(nominee_that_turns_out_to_be_a_double_does_not_lead)
{
	ballot_await_request(&b);
	ballot_grant(&b);
	assert_false(b.said.request.is_prevote);
	b.is_denouncing = true;
	ballot_grant(&b);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	assert_int_equal(b.notices[NOTICE_LEADER], 0);
	assert_true(ballot_status(&b).duplicate);
	b.is_denouncing = false;
	b.is_granting = true;
	ballot_run(&b, 10 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
}

/* The same of a node that already leads: it states why it leads no more. */
CASE(leader_that_turns_out_to_be_a_double_says_so)
{
	b.is_granting = true;
	ballot_run(&b, 5 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	b.is_granting = false;
	ballot_elect(&b);
	ballot_await_request(&b);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	b.is_denouncing = true;
	ballot_grant(&b);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	assert_int_equal(b.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(b.lead.reason.kind, REASON_DUPLICATE);
	assert_int_equal(node_hand_out(b.node, b.now), 0);
}

/* A node that knows the later term would not follow. */
CASE(grant_of_a_term_gone_by_makes_no_leader)
{
	uint64_t term;

	ballot_await_request(&b);
	ballot_grant(&b);
	assert_true(b.said.has_request);
	assert_false(b.said.request.is_prevote);
	term = b.said.request.term;
	tell_term(term + 3);
	ballot_grant(&b);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	b.is_granting = true;
	ballot_run(&b, 10 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_true(ballot_status(&b).term > term + 3);
}

/* As it holds the lease, it need not give it up for that. */
LEADER(leader_whose_term_is_outbid_requests_votes_in_a_later_one)
{
	uint64_t term = ballot_status(&b).term;
	unsigned lost = b.notices[NOTICE_NO_LEADER];

	b.is_granting = false;
	ballot_await_request(&b);
	assert_int_equal(b.said.request.term, term);
	deny(DENIAL_PROMISED, term + 7);
	b.is_granting = true;
	for (int i = 0; i < 20; i++) {
		ballot_run(&b, 50 * MSEC);
		assert_int_equal(ballot_status(&b).leader, 2);
	}
	assert_true(ballot_status(&b).term > term + 7);
	assert_int_equal(b.notices[NOTICE_NO_LEADER], lost);
}

/* A voter denies it for an earlier promise, but this term is later. Then a
 * voter names a time that makes no sense. */
CASE(denials_without_sense_change_nothing)
{
	uint64_t term;

	ballot_await_request(&b);
	term = b.said.request.term;
	deny(DENIAL_PROMISED, term - 1);
	deny(DENIAL_HELD, 0);
	deny(DENIAL_QUARANTINE, 0);
	b.said.request.term++;
	deny(DENIAL_PROMISED, term + 5);
	assert_int_equal(ballot_status(&b).term, term);
	b.is_granting = true;
	ballot_run(&b, SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(ballot_status(&b).term, term);
}

/* There was no question. */
ALONE(vote_responses_without_a_request_change_nothing)
{
	uint64_t term;

	ballot_set(&b);
	b.setup.role = ROLE_VOTER;
	ballot_begin(&b, 3 * SEC);
	term = ballot_status(&b).term;
	for (unsigned denial = 0; denial < DENIALS; denial++)
		ballot_vote(&b, &(struct vote_response){
				    .term = term,
				    .sent = b.now,
				    .denial = (enum denial)denial,
				    .promised = term + 9,
				    .wait_ms = 1,
				});
	ballot_vote(&b,
	    &(struct vote_response){
		.term = term,
		.sent = b.now,
		.promised = term,
		.rival = { .is_eligible = true, .is_contender = true, .id = 3 },
		.rival_term = term + 9,
	    });
	assert_int_equal(ballot_dropped(&b, DROP_FORMAT), 0);
	ballot_run(&b, SEC);
	assert_int_equal(b.requests, 0);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	assert_int_equal(ballot_status(&b).term, term);
}

/* It asks the leader's own voter in vain, and is worse: the leader goes above
 * its term, and keeps the lead. */
LEADER(leader_goes_above_a_worse_one_that_asks_it_in_vain)
{
	uint64_t term = ballot_status(&b).term;
	const struct vote_request c = { .term = term + 5, .sent = 1 };

	ballot_request(&b, &c);
	assert_int_equal(b.said.vote.denial, DENIAL_HELD);
	for (int i = 0; i < 20; i++) {
		ballot_run(&b, 50 * MSEC);
		assert_int_equal(ballot_status(&b).leader, 2);
	}
	assert_true(ballot_status(&b).term > term + 5);
	assert_int_equal(b.lead.reason.kind, REASON_MERGE);
	assert_int_equal(b.lead.reason.node, 1);
}

/* Its new process has not asked for anything. A leader that was killed just
 * after it had taken over would else come back as the rival of the next one,
 * which would hand over in vain. */
LEADER(rival_that_starts_anew_is_none)
{
	uint64_t term = ballot_status(&b).term;
	const struct vote_request c = { .term = term + 5, .sent = 1 };

	ballot_request(&b, &c);
	assert_int_equal(b.said.vote.denial, DENIAL_HELD);
	b.member.incarnation++;
	b.member.instance[0]++;
	ballot_join(&b);
	ballot_run(&b, SEC);
	assert_int_equal(ballot_status(&b).leader, 2);
	assert_int_equal(ballot_status(&b).term, term);
}

/* Else a node that asked in vain, and then gets its grants, would hand over for
 * itself. */
LEADER(candidate_that_is_granted_is_not_named_its_own_rival)
{
	struct vote_request c = { .term = ballot_status(&b).term + 5,
		.sent = 1 };
	const struct rank better = {
		.is_eligible = true, .is_contender = true, .id = 3
	};

	ballot_request(&b, &c);
	assert_int_equal(b.said.vote.denial, DENIAL_HELD);
	ballot_run(&b, BALLOT_BEAT);
	c.term = ballot_status(&b).term + 5;
	ballot_request(&b, &c);
	assert_int_equal(b.said.vote.denial, DENIAL_HELD);
	/* It hands over for a better one. */
	b.is_granting = false;
	ballot_await_request(&b);
	ballot_vote(&b, &(struct vote_response){
			    .term = b.said.request.term,
			    .sent = b.said.request.sent,
			    .rival = better,
			    .rival_term = b.said.request.term + 1,
			});
	ballot_run(&b, 4 * BALLOT_BEAT);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	c.term += 5;
	ballot_request(&b, &c);
	assert_int_equal(b.said.vote.denial, DENIAL_NONE);
	assert_int_equal(b.said.vote.rival.id, NODE_NONE);
}

/* It asked in vain, and gives up a moment before the leader does. */
LEADER(candidate_that_gave_up_is_not_answered_later)
{
	struct vote_request c = { .term = ballot_status(&b).term + 5,
		.sent = 1 };

	b.is_granting = false;
	ballot_run(&b, ballot_status(&b).until - b.now - MSEC);
	ballot_request(&b, &c);
	assert_int_equal(b.said.vote.denial, DENIAL_HELD);
	ballot_release(&b, c.term);
	b.votes = 0;
	ballot_run(&b, 4 * BALLOT_BEAT);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	assert_int_equal(b.votes, 0);
}

/* A node that holds no promise of ours has none to give back. */
CASE(release_of_a_term_that_was_never_granted_changes_nothing)
{
	ballot_await_request(&b);
	b.requests = 0;
	ballot_release(&b, b.said.request.term);
	ballot_release(&b, TERM_MAX);
	assert_int_equal(b.requests, 0);
	b.is_granting = true;
	ballot_run(&b, SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
}

/* It leads no node to which it could hand over. */
CASE(nominee_does_not_hand_over)
{
	uint64_t term;

	ballot_await_request(&b);
	term = b.said.request.term;
	ballot_grant(&b);
	ballot_vote(&b,
	    &(struct vote_response){
		.term = term,
		.sent = b.said.request.sent,
		.promised = term,
		.rival = { .is_eligible = true, .is_contender = true, .id = 3 },
		.rival_term = term + 1,
	    });
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(ballot_status(&b).term, term);
}

/* Makes the requests of a node that wins an election. Its id may have been
 * found in use twice meanwhile. */
static unsigned
requests_once_decided_for(bool is_double)
{
	struct message m = { .kind = DECISION,
		.rank = {
		    .is_eligible = true, .is_contender = true, .id = 2 } };
	uint8_t frames[FRAME_BYTES + TAGGED_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	ballot_set(&b);
	b.setup.algorithm = &puppet;
	ballot_begin(&b, 3 * SEC);
	b.is_denouncing = is_double;
	ballot_say(&b, NULL, 0);
	assert_int_equal(b.requests, 0);
	m.term = ballot_elect(&b);
	assert_true(m.term > 0);
	member_write_message(&b.member, &w, &m);
	ballot_say(&b, &w, 1);
	ballot_run(&b, BALLOT_BEAT);
	return b.requests;
}

ALONE(node_that_is_nominated_requests_votes)
{
	assert_true(requests_once_decided_for(false) > 0);
}

ALONE(nominee_that_is_not_eligible_any_more_requests_none)
{
	assert_int_equal(requests_once_decided_for(true), 0);
}

/* It leads, and an election waits for the answer of a better node. A denial
 * meanwhile, in the term that it holds, begins no other election. */
ALONE(leader_that_elects_already_does_not_begin_again)
{
	unsigned begun;
	uint64_t term;

	ballot_set(&b);
	b.setup.prefer = PREFER_LOWEST;
	b.is_abstaining = b.is_granting = true;
	ballot_begin(&b, 5 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	b.is_abstaining = b.is_granting = false;
	ballot_say(&b, NULL, 0);
	ballot_await_request(&b);
	term = b.said.request.term;
	assert_int_equal(ballot_elect(&b), term + 1);
	begun = b.notices[NOTICE_ELECTION];
	b.said.request.term = term;
	deny(DENIAL_PROMISED, term);
	assert_int_equal(b.notices[NOTICE_ELECTION], begun);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
}
