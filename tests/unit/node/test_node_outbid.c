/* SPDX-License-Identifier: ISC */
/*
 * Requests and responses that come too late, or of past terms: they must
 * neither make a nominee lead nor cost it its term.
 */
#include "tests/lib/puppet.h"
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

static struct stage s;
static struct said *const said = &s.members[0].said;

/* The member grants the pre-vote; gives the term of the binding request. */
static uint64_t
binding_request(void)
{
	quorum_await_request(&s);
	stage_grant(&s, 0);
	assert_true(said->has_request);
	assert_false(said->request.is_prevote);
	return said->request.term;
}

#define ALONE(name)  STAGE_CASE(name, NULL, &s)
#define CASE(name)   STAGE_CASE(name, quorum_enter, &s)
#define LEADER(name) STAGE_CASE(name, quorum_enter_leader, &s)

/* The voter's disk may take any time. */
CASE(candidate_waits_for_a_voter_that_does_not_answer)
{
	uint64_t term = binding_request();

	stage_run(&s, 60 * SEC);
	quorum_await_request(&s);
	assert_int_equal(said->request.term, term);
	stage_grant(&s, 0);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, 0).term, term);
}

CASE(candidate_that_cannot_win_begins_again)
{
	uint64_t term = binding_request();

	quorum_deny(&s, DENIAL_HELD, 0);
	stage_run(&s, 10 * SEC);
	quorum_await_request(&s);
	assert_true(said->request.term > term);
}

/* The nominee has our voter's promise, and goes on with its request, or gives
 * up. */
CASE(candidate_is_waited_for_until_it_gives_up)
{
	struct vote_request c = { .term = 50, .sent = 1 };
	unsigned elections = s.notices[NOTICE_ELECTION];

	for (; c.sent < 50; c.sent++) {
		quorum_request(&s, &c);
		stage_run(&s, STAGE_BEAT);
	}
	assert_true(said->has_vote);
	assert_int_equal(said->vote.denial, DENIAL_NONE);
	assert_int_equal(s.notices[NOTICE_ELECTION], elections);
	quorum_release(&s, c.term);
	assert_int_equal(s.notices[NOTICE_ELECTION], elections + 1);
}

/* The member knows of no leader in this term. */
static void
tell_term(uint64_t term)
{
	struct beacon beacon = { .term = term };

	stage_lead(&s, 0, &beacon, NULL);
}

/* One datagram brings the nominee a grant and the word that its id is in use
 * twice. */
CASE(nominee_that_turns_out_to_be_a_double_does_not_lead)
{
	quorum_await_request(&s);
	stage_grant(&s, 0);
	assert_false(said->request.is_prevote);
	s.members[0].is_denouncing = true;
	stage_grant(&s, 0);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(s.notices[NOTICE_LEADER], 0);
	assert_true(stage_status(&s, 0).duplicate);
	s.members[0].is_denouncing = false;
	s.is_granting = true;
	stage_run(&s, 10 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

/* The same of a node that already leads: it states why it leads no more. */
CASE(leader_that_turns_out_to_be_a_double_says_so)
{
	s.is_granting = true;
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	s.is_granting = false;
	stage_elect(&s, 0);
	quorum_await_request(&s);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	s.members[0].is_denouncing = true;
	stage_grant(&s, 0);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(s.lead.reason.kind, REASON_DUPLICATE);
	assert_int_equal(node_hand_out(s.nodes[0], s.now), 0);
}

/* A node that knows the later term would not follow. */
CASE(grant_of_a_term_gone_by_makes_no_leader)
{
	uint64_t term;

	quorum_await_request(&s);
	stage_grant(&s, 0);
	assert_true(said->has_request);
	assert_false(said->request.is_prevote);
	term = said->request.term;
	tell_term(term + 3);
	stage_grant(&s, 0);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	s.is_granting = true;
	stage_run(&s, 10 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_true(stage_status(&s, 0).term > term + 3);
}

/* As it holds the lease, it need not give it up for that. */
LEADER(leader_whose_term_is_outbid_requests_votes_in_a_later_one)
{
	uint64_t term = stage_status(&s, 0).term;
	unsigned lost = s.notices[NOTICE_NO_LEADER];

	s.is_granting = false;
	quorum_await_request(&s);
	assert_int_equal(said->request.term, term);
	quorum_deny(&s, DENIAL_PROMISED, term + 7);
	s.is_granting = true;
	for (int i = 0; i < 20; i++) {
		stage_run(&s, 50 * MSEC);
		assert_int_equal(stage_status(&s, 0).leader, 2);
	}
	assert_true(stage_status(&s, 0).term > term + 7);
	assert_int_equal(s.notices[NOTICE_NO_LEADER], lost);
}

/* A voter denies it for an earlier promise, but this term is later. Then a
 * voter names a time that makes no sense. */
CASE(denials_without_sense_change_nothing)
{
	uint64_t term;

	quorum_await_request(&s);
	term = said->request.term;
	quorum_deny(&s, DENIAL_PROMISED, term - 1);
	quorum_deny(&s, DENIAL_HELD, 0);
	quorum_deny(&s, DENIAL_QUARANTINE, 0);
	said->request.term++;
	quorum_deny(&s, DENIAL_PROMISED, term + 5);
	assert_int_equal(stage_status(&s, 0).term, term);
	s.is_granting = true;
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, 0).term, term);
}

/* There was no question. */
ALONE(vote_responses_without_a_request_change_nothing)
{
	uint64_t term;

	quorum_set(&s);
	s.setups[0].role = ROLE_VOTER;
	quorum_begin(&s, 3 * SEC);
	term = stage_status(&s, 0).term;
	for (unsigned denial = 0; denial < DENIALS; denial++)
		stage_vote(&s, 0,
		    &(struct vote_response){
			.term = term,
			.sent = s.now,
			.denial = (enum denial)denial,
			.promised = term + 9,
			.wait_ms = 1,
		    });
	stage_vote(&s, 0,
	    &(struct vote_response){
		.term = term,
		.sent = s.now,
		.promised = term,
		.rival = { .is_eligible = true, .is_contender = true, .id = 3 },
		.rival_term = term + 9,
	    });
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 0);
	stage_run(&s, SEC);
	assert_int_equal(said->requests, 0);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(stage_status(&s, 0).term, term);
}

/* The nominee asks the leader's own voter in vain, and is worse: the leader
 * goes above the nominee's term, and keeps the lead. */
LEADER(leader_goes_above_a_worse_one_that_asks_it_in_vain)
{
	uint64_t term = stage_status(&s, 0).term;
	const struct vote_request c = { .term = term + 5, .sent = 1 };

	quorum_request(&s, &c);
	assert_int_equal(said->vote.denial, DENIAL_HELD);
	for (int i = 0; i < 20; i++) {
		stage_run(&s, 50 * MSEC);
		assert_int_equal(stage_status(&s, 0).leader, 2);
	}
	assert_true(stage_status(&s, 0).term > term + 5);
	assert_int_equal(s.lead.reason.kind, REASON_MERGE);
	assert_int_equal(s.lead.reason.node, 1);
}

/* The rival's new process has not asked for anything. A leader that was killed
 * just after it had taken over would else come back as the rival of the next
 * one, which would hand over in vain. */
LEADER(rival_that_starts_anew_is_none)
{
	uint64_t term = stage_status(&s, 0).term;
	const struct vote_request c = { .term = term + 5, .sent = 1 };

	quorum_request(&s, &c);
	assert_int_equal(said->vote.denial, DENIAL_HELD);
	s.members[0].incarnation++;
	s.members[0].instance[0]++;
	stage_join(&s, 0);
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, 0).leader, 2);
	assert_int_equal(stage_status(&s, 0).term, term);
}

/* Else a node that asked in vain, and then gets its grants, would hand over for
 * itself. */
LEADER(candidate_that_is_granted_is_not_named_its_own_rival)
{
	struct vote_request c = { .term = stage_status(&s, 0).term + 5,
		.sent = 1 };
	const struct rank better = {
		.is_eligible = true, .is_contender = true, .id = 3
	};

	quorum_request(&s, &c);
	assert_int_equal(said->vote.denial, DENIAL_HELD);
	stage_run(&s, STAGE_BEAT);
	c.term = stage_status(&s, 0).term + 5;
	quorum_request(&s, &c);
	assert_int_equal(said->vote.denial, DENIAL_HELD);
	/* The leader hands over for a better node. */
	s.is_granting = false;
	quorum_await_request(&s);
	stage_vote(&s, 0,
	    &(struct vote_response){
		.term = said->request.term,
		.sent = said->request.sent,
		.rival = better,
		.rival_term = said->request.term + 1,
	    });
	stage_run(&s, 4 * STAGE_BEAT);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	c.term += 5;
	quorum_request(&s, &c);
	assert_int_equal(said->vote.denial, DENIAL_NONE);
	assert_int_equal(said->vote.rival.id, NODE_NONE);
}

/* The nominee asked in vain, and gives up a moment before the leader does. */
LEADER(candidate_that_gave_up_is_not_answered_later)
{
	struct vote_request c = { .term = stage_status(&s, 0).term + 5,
		.sent = 1 };

	s.is_granting = false;
	stage_run(&s, stage_status(&s, 0).until - s.now - MSEC);
	quorum_request(&s, &c);
	assert_int_equal(said->vote.denial, DENIAL_HELD);
	quorum_release(&s, c.term);
	said->votes = 0;
	stage_run(&s, 4 * STAGE_BEAT);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(said->votes, 0);
}

/* A node that holds no promise of ours has none to give back. */
CASE(release_of_a_term_that_was_never_granted_changes_nothing)
{
	quorum_await_request(&s);
	said->requests = 0;
	quorum_release(&s, said->request.term);
	quorum_release(&s, TERM_MAX);
	assert_int_equal(said->requests, 0);
	s.is_granting = true;
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

/* The nominee leads no node to which it could hand over. */
CASE(nominee_does_not_hand_over)
{
	uint64_t term;

	quorum_await_request(&s);
	term = said->request.term;
	stage_grant(&s, 0);
	stage_vote(&s, 0,
	    &(struct vote_response){
		.term = term,
		.sent = said->request.sent,
		.promised = term,
		.rival = { .is_eligible = true, .is_contender = true, .id = 3 },
		.rival_term = term + 1,
	    });
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, 0).term, term);
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

	quorum_set(&s);
	s.setups[0].algorithm = &puppet;
	quorum_begin(&s, 3 * SEC);
	s.members[0].is_denouncing = is_double;
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(said->requests, 0);
	m.term = stage_elect(&s, 0);
	assert_true(m.term > 0);
	member_write_message(&s.members[0], &w, &m);
	stage_beat(&s, 0, w.start, w.size, 1);
	stage_run(&s, STAGE_BEAT);
	return said->requests;
}

ALONE(node_that_is_nominated_requests_votes)
{
	assert_true(requests_once_decided_for(false) > 0);
}

ALONE(nominee_that_is_not_eligible_any_more_requests_none)
{
	assert_int_equal(requests_once_decided_for(true), 0);
}

/* The leader's election waits for the answer of a better node. A denial
 * meanwhile, in the term that the leader holds, begins no other election. */
ALONE(leader_that_elects_already_does_not_begin_again)
{
	unsigned begun;
	uint64_t term;

	quorum_set(&s);
	s.setups[0].prefer = PREFER_LOWEST;
	s.members[0].is_abstaining = s.is_granting = true;
	quorum_begin(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	s.members[0].is_abstaining = s.is_granting = false;
	stage_beat(&s, 0, NULL, 0, 0);
	quorum_await_request(&s);
	term = said->request.term;
	assert_int_equal(stage_elect(&s, 0), term + 1);
	begun = s.notices[NOTICE_ELECTION];
	said->request.term = term;
	quorum_deny(&s, DENIAL_PROMISED, term);
	assert_int_equal(s.notices[NOTICE_ELECTION], begun);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}
