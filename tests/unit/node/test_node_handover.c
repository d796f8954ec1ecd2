/* SPDX-License-Identifier: ISC */
/*
 * A leader that hands over: to which node, how long it waits, and how an
 * abstention ends. Nodes 2 and 3 and a member are on a stage without votes;
 * then comes one node with a member that votes.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#define TWO   0
#define THREE 1
#define WAIT  (3 * STAGE_BEAT) /* for the next leader: a detection */
#define EARLY (50 * MSEC)      /* it ends before its last deadline */

static struct stage s;
static struct said *const said = &s.members[0].said;

/* Node 3 leads, as the best; the member is the worst. */
static int
enter_three(void **state)
{
	(void)state;
	stage_set(&s, 2);
	stage_begin(&s, 3 * SEC);
	assert(stage_status(&s, THREE).state == STATE_LEADER);
	return 0;
}

static int
enter_three_without_preemption(void **state)
{
	(void)state;
	stage_set(&s, 2);
	s.setups[TWO].preempt = s.setups[THREE].preempt = PREEMPT_NEVER;
	stage_begin(&s, 3 * SEC);
	assert(stage_status(&s, TWO).leader == 3);
	return 0;
}

static void
assert_reason(struct reason reason, enum reason_kind kind, node_id node)
{
	assert_int_equal(reason.kind, kind);
	assert_int_equal(reason.node, node);
}

#define LEADER(name) STAGE_CASE(name, quorum_enter_leader, &s)
#define STAGE(name)  STAGE_CASE(name, enter_three, &s)

STAGE(resignation_is_refused_where_it_makes_no_sense)
{
	assert_int_equal(stage_resign(&s, TWO, NODE_NONE), RESIGN_NO_LEADER);
	assert_int_equal(stage_resign(&s, THREE, 3), RESIGN_UNFIT);
	assert_int_equal(stage_resign(&s, THREE, 99), RESIGN_UNFIT);
	/* Node 2 would take over from the member at once. */
	assert_int_equal(stage_resign(&s, THREE, 1), RESIGN_UNDONE);
	assert_false(stage_status(&s, THREE).standby.is_on);
	assert_int_equal(stage_status(&s, THREE).state, STATE_LEADER);
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, TWO).leader, 3);
}

STAGE(resignation_to_a_node_that_is_not_heard_is_refused)
{
	s.is_cut = true;
	stage_run(&s, SEC);
	assert_int_equal(stage_resign(&s, THREE, 2), RESIGN_UNFIT);
	s.is_beating = false;
	stage_run(&s, SEC);
	assert_int_equal(stage_resign(&s, THREE, NODE_NONE), RESIGN_NOBODY);
	assert_int_equal(stage_status(&s, THREE).state, STATE_LEADER);
}

/* Node 3 in a path cannot know whether node 1, which is distant, is there. But
 * it hears nobody, so nobody can take over. */
STAGE_CASE(resignation_of_a_leader_that_is_alone_is_refused, NULL, &s)
{
	stage_set(&s, 2);
	stage_path(&s);
	s.setups[TWO].prefer = s.setups[THREE].prefer = PREFER_LOWEST;
	stage_begin(&s, 3 * SEC);
	s.is_cut = true;
	s.is_beating = false;
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, THREE).state, STATE_LEADER);
	assert_int_equal(stage_resign(&s, THREE, 1), RESIGN_NOBODY);
	assert_false(stage_status(&s, THREE).standby.is_on);
}

STAGE(leader_that_resigns_follows_on_standby)
{
	assert_int_equal(stage_resign(&s, THREE, NODE_NONE), RESIGN_BEGUN);
	assert_int_equal(stage_status(&s, THREE).leader, 2);
	assert_int_equal(stage_status(&s, TWO).state, STATE_LEADER);
	assert_reason(stage_status(&s, TWO).reason, REASON_RESIGN, 3);
	assert_reason(stage_status(&s, THREE).reason, REASON_RESIGN, 3);
	stage_run(&s, 5 * SEC);
	assert_true(stage_status(&s, THREE).standby.is_on);
	assert_int_equal(stage_status(&s, THREE).leader, 2);
	stage_stand(&s, THREE);
	assert_false(stage_status(&s, THREE).standby.is_on);
	assert_int_equal(stage_status(&s, TWO).leader, 3);
	assert_reason(stage_status(&s, THREE).reason, REASON_PREEMPT, 2);
}

STAGE_CASE(named_one_leads_though_another_is_better,
    enter_three_without_preemption, &s)
{
	uint64_t term = stage_status(&s, TWO).term;

	/* The lead goes back to node 3, and on; no other comes between. */
	assert_int_equal(stage_resign(&s, THREE, 2), RESIGN_BEGUN);
	assert_int_equal(stage_status(&s, TWO).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, TWO).term, term + 1);
	stage_stand(&s, THREE);
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, TWO).state, STATE_LEADER);
	assert_int_equal(stage_resign(&s, TWO, 3), RESIGN_BEGUN);
	assert_int_equal(stage_status(&s, TWO).leader, 3);
	assert_int_equal(stage_status(&s, THREE).term, term + 2);
	/* The named node is like any other now. */
	stage_stand(&s, TWO);
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, TWO).leader, 3);
}

STAGE(leader_that_is_to_end_does_when_another_leads)
{
	stage_stop(&s, THREE);
	assert_true(node_stopped(s.nodes[THREE]));
	assert_int_equal(stage_status(&s, TWO).state, STATE_LEADER);
	assert_reason(stage_status(&s, TWO).reason, REASON_BYE, 3);
}

STAGE(leader_without_an_successor_ends_at_once)
{
	s.is_cut = true;
	s.is_beating = false;
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, THREE).state, STATE_LEADER);
	stage_stop(&s, THREE);
	assert_true(node_stopped(s.nodes[THREE]));
}

/* The member never begins an election. */
STAGE(leader_waits_for_its_successor_for_so_long)
{
	nsec_t begun;

	s.is_cut = true;
	stage_run(&s, SEC);
	begun = s.now;
	stage_stop(&s, THREE);
	assert_int_equal(stage_resign(&s, THREE, 1), RESIGN_NO_LEADER);
	while (s.now < begun + WAIT - MSEC) {
		assert_int_equal(stage_status(&s, THREE).leader, 3);
		assert_true(node_deadline(s.nodes[THREE]) > s.now);
		stage_run(&s, MSEC);
	}
	assert_false(node_stopped(s.nodes[THREE]));
	stage_run(&s, 2 * MSEC);
	assert_true(node_stopped(s.nodes[THREE]));
}

STAGE(abstention_ends_when_no_other_node_is_left)
{
	assert_int_equal(stage_resign(&s, THREE, NODE_NONE), RESIGN_BEGUN);
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, THREE).leader, 2);
	s.is_cut = true;
	s.is_beating = false;
	stage_run(&s, 3 * SEC);
	assert_false(stage_status(&s, THREE).standby.is_on);
	assert_int_equal(stage_status(&s, THREE).state, STATE_LEADER);
}

/* The successors are gone, but the leader knows that only after it has waited
 * in vain. */
STAGE(leader_whose_successors_vanish_leads_on)
{
	nsec_t since = stage_status(&s, THREE).since;

	s.is_cut = true;
	s.is_beating = false;
	assert_int_equal(stage_resign(&s, THREE, NODE_NONE), RESIGN_BEGUN);
	assert_true(stage_status(&s, THREE).standby.is_on);
	while (stage_status(&s, THREE).standby.is_on) {
		assert_int_equal(stage_status(&s, THREE).state, STATE_LEADER);
		stage_run(&s, MSEC);
	}
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, THREE).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, THREE).since, since);
}

STAGE(leader_that_rejoins_and_finds_no_successor_leads_on)
{
	s.is_cut = true;
	s.is_beating = false;
	assert_int_equal(stage_resign(&s, THREE, NODE_NONE), RESIGN_BEGUN);
	stage_stand(&s, THREE);
	assert_false(stage_status(&s, THREE).standby.is_on);
	assert_int_equal(
	    stage_status(&s, THREE).eligibility, INELIGIBLE_HANDS_OVER);
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, THREE).eligibility, ELIGIBLE);
	assert_int_equal(stage_status(&s, THREE).state, STATE_LEADER);
}

/* Node 2 in a path leads in the last term of all, so no node can elect another.
 */
STAGE_CASE(leader_in_the_last_term_that_resigns_leads_on, NULL, &s)
{
	stage_set(&s, 1);
	stage_path(&s);
	s.setups[TWO].durable.term = TERM_MAX - 1;
	stage_begin(&s, SEC / 2);
	stage_adopt(&s);
	stage_run(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, TWO).state, STATE_LEADER);
	assert_true(stage_status(&s, TWO).term == TERM_MAX);
	assert_int_equal(stage_resign(&s, TWO, NODE_NONE), RESIGN_BEGUN);
	stage_run(&s, 5 * SEC);
	assert_true(stage_status(&s, TWO).term == TERM_MAX);
}

/* Under quorum the node leads, and the member grants every request that comes
 * in. */
static void
assert_no_deadline_in_the_past(nsec_t duration)
{
	for (nsec_t until = s.now + duration; s.now < until;) {
		stage_run(&s, MSEC);
		assert_true(node_deadline(s.nodes[0]) > s.now);
	}
}

LEADER(leader_of_votes_waits_and_then_gives_up)
{
	uint64_t term = stage_status(&s, 0).term;

	said->beacon.term = 0;
	assert_int_equal(stage_resign(&s, 0, 3), RESIGN_UNFIT);
	assert_int_equal(stage_resign(&s, 0, 1), RESIGN_BEGUN);
	assert_true(said->beacon.term > 0);
	assert_true(said->beacon.hands_over && said->beacon.is_named);
	assert_int_equal(said->beacon.successor, 1);
	assert_false(said->beacon.is_leaving);
	assert_reason(said->beacon.reason, REASON_START, 2);
	assert_no_deadline_in_the_past(WAIT - MSEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, 0).term, term);
	assert_no_deadline_in_the_past(2 * MSEC);
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
	assert_reason(s.lead.reason, REASON_RESIGN, 2);
	assert_true(stage_status(&s, 0).standby.is_on);
}

/* A majority has promised the successor: the member, and this node's own voter.
 */
LEADER(leader_gives_up_when_a_majority_waits_for_it)
{
	uint64_t term = stage_status(&s, 0).term;
	const struct vote_request c = { .term = term + 1, .sent = 5 };
	unsigned releases = said->releases;

	s.is_granting = false;
	stage_run(&s, STAGE_BEAT);
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_BEGUN);
	quorum_request(&s, &c);
	assert_int_equal(s.durable.promise.term, term + 1);
	assert_true(s.durable.promise.is_early);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(said->vote.denial, DENIAL_HELD);
	assert_int_equal(said->vote.promised, term + 1);
	stage_vote(&s, 0,
	    &(struct vote_response){ .term = term,
		.sent = 1,
		.denial = DENIAL_PROMISED,
		.promised = term + 1 });
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
	assert_true(said->releases > releases);
	/* The voters grant what they have promised. */
	assert_int_equal(said->vote.denial, DENIAL_NONE);
	assert_int_equal(said->vote.term, term + 1);
	assert_false(s.durable.promise.is_early);
}

/* The leader's own voter has promised the successor the next term. So the other
 * voter may be writing its promise, which takes as long as its disk does. */
LEADER(leader_leads_until_its_lease_ends_while_promises_are_written)
{
	const struct vote_request c = { .term = stage_status(&s, 0).term + 1 };

	s.is_granting = false;
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_BEGUN);
	quorum_request(&s, &c);
	assert_true(s.durable.promise.is_early);
	stage_run(&s, 2 * WAIT);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	stage_run(&s, QUORUM_LEASE - 2 * WAIT);
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
	assert_reason(s.lead.reason, REASON_LEASE, 2);
}

/* One voter alone changes nothing. */
LEADER(one_voter_that_waits_is_not_enough)
{
	uint64_t term = stage_status(&s, 0).term;

	s.is_granting = false;
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_BEGUN);
	for (int i = 0; i < 3; i++)
		stage_vote(&s, 0,
		    &(struct vote_response){ .term = term,
			.sent = 1,
			.denial = DENIAL_PROMISED,
			.promised = term + 1 });
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

LEADER(last_deadline_comes_before_it_hands_over)
{
	nsec_t until = node_hand_out(s.nodes[0], s.now);

	stage_stop(&s, 0);
	while (s.now < until - EARLY) {
		assert_false(said->beacon.hands_over);
		assert_int_equal(node_hand_out(s.nodes[0], s.now), until);
		assert_no_deadline_in_the_past(MSEC);
	}
	assert_true(said->beacon.hands_over);
	assert_int_equal(said->beacon.successor, 1);
	assert_true(said->beacon.is_leaving);
	assert_reason(said->beacon.reason, REASON_START, 2);
	assert_no_deadline_in_the_past(WAIT - MSEC);
	assert_false(node_stopped(s.nodes[0]));
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(node_hand_out(s.nodes[0], s.now), 0);
	assert_no_deadline_in_the_past(2 * MSEC);
	assert_true(node_stopped(s.nodes[0]));
	assert_true(s.members[0].goodbyes > 0);
}

/* The node was in an election when it got the order to end. */
LEADER(leader_that_is_elected_once_more_hands_over_once_more)
{
	uint64_t term = stage_status(&s, 0).term;

	s.is_granting = false;
	assert_int_equal(stage_elect(&s, 0), term + 1);
	stage_stop(&s, 0);
	assert_int_equal(said->beacon.term, term);
	assert_true(said->beacon.hands_over);
	s.is_granting = true;
	stage_run(&s, 2 * STAGE_BEAT);
	assert_int_equal(stage_status(&s, 0).term, term + 1);
	assert_int_equal(said->beacon.term, term + 1);
	assert_true(said->beacon.hands_over);
	assert_no_deadline_in_the_past(2 * WAIT);
	assert_true(node_stopped(s.nodes[0]));
}

/* Where no node may lead, it stays on standby as the operator wants. */
LEADER(abstention_does_not_end_in_a_minority)
{
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_BEGUN);
	s.members[0].is_voting = s.is_granting = false;
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_NO_QUORUM);
	assert_true(stage_status(&s, 0).standby.is_on);
	/* There are a majority and an eligible node, */
	s.members[0].is_voting = true;
	stage_run(&s, 5 * SEC);
	assert_true(stage_status(&s, 0).standby.is_on);
	/* and now that is not eligible. */
	s.members[0].is_abstaining = s.is_granting = true;
	stage_run(&s, 60 * SEC);
	assert_false(stage_status(&s, 0).standby.is_on);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

LEADER(resignation_without_an_eligible_successor_is_refused)
{
	s.members[0].is_abstaining = true;
	stage_run(&s, 2 * STAGE_BEAT);
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_NOBODY);
	assert_int_equal(stage_resign(&s, 0, 1), RESIGN_UNFIT);
	stage_stop(&s, 0);
	assert_true(node_stopped(s.nodes[0]));
}

static void
assert_leads_on(uint64_t term)
{
	nsec_t until;

	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, 0).term, term);
	assert_false(stage_status(&s, 0).standby.is_on);
	stage_run(&s, 10 * STAGE_BEAT);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, 0).term, term);
	assert_int_equal(s.lead.kind, NOTICE_LEADER);
	assert_true(said->beacon.term > 0);
	assert_false(said->beacon.hands_over || said->beacon.is_named);
	assert_int_equal(said->beacon.successor, NODE_NONE);
	until = node_hand_out(s.nodes[0], s.now);
	assert_true(until > s.now + SEC);
	stage_run(&s, STAGE_BEAT);
	assert_true(node_hand_out(s.nodes[0], s.now) > until);
}

/* The member votes, but is not eligible any more. */
LEADER(leader_of_votes_without_an_successor_leads_on)
{
	uint64_t term = stage_status(&s, 0).term;

	assert_int_equal(stage_resign(&s, 0, 1), RESIGN_BEGUN);
	assert_true(said->beacon.hands_over);
	s.members[0].is_abstaining = true;
	assert_no_deadline_in_the_past(WAIT + MSEC);
	assert_leads_on(term);
}

LEADER(successor_that_vanishes_before_the_last_deadline_ends_the_plan)
{
	uint64_t term = stage_status(&s, 0).term;
	nsec_t until = node_hand_out(s.nodes[0], s.now);

	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_BEGUN);
	s.members[0].is_abstaining = true;
	assert_no_deadline_in_the_past(until - s.now - EARLY - MSEC);
	assert_true(stage_status(&s, 0).standby.is_on);
	assert_no_deadline_in_the_past(2 * MSEC);
	assert_leads_on(term);
}

/* The voter has promised its term to another process, which is gone. */
LEADER(voter_that_waited_for_the_successor_is_won_back)
{
	uint64_t term = stage_status(&s, 0).term;
	const struct vote_response moved = { .term = term,
		.sent = 1,
		.denial = DENIAL_PROMISED,
		.promised = term + 1 };

	s.is_granting = false;
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_BEGUN);
	stage_vote(&s, 0, &moved);
	s.members[0].is_abstaining = true;
	stage_run(&s, WAIT + MSEC);
	assert_false(stage_status(&s, 0).standby.is_on);
	stage_vote(&s, 0, &moved);
	assert_int_equal(stage_status(&s, 0).term, term);
	s.is_granting = true;
	stage_run(&s, 2 * STAGE_BEAT);
	assert_leads_on(term + 2);
}

/* The leader lost an election to one that asks in vain, and wins the next. */
LEADER(leader_that_wins_its_place_back_keeps_it)
{
	uint64_t term = stage_status(&s, 0).term;
	struct vote_response v = {
		.rival = { .is_eligible = true, .is_contender = true, .id = 3 }
	};

	s.is_granting = false;
	quorum_await_request(&s);
	v.term = v.promised = term;
	v.rival_term = term + 1;
	v.sent = said->request.sent;
	stage_vote(&s, 0, &v);
	assert_true(said->beacon.hands_over);
	assert_int_equal(said->beacon.successor, NODE_NONE);
	s.is_granting = true;
	assert_int_equal(stage_elect(&s, 0), term + 1);
	stage_run(&s, 2 * STAGE_BEAT);
	assert_leads_on(term + 1);
}
