/* SPDX-License-Identifier: ISC */
/*
 * A node counts only true answers and promises: requests come out of order, or
 * of another life, and voters promise the successor its term while the leader
 * still leads.
 */
#include "tests/lib/puppet.h"
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

static struct stage s;
static struct said *const said = &s.members[0].said;

static int
enter_slow_voter(void **state)
{
	quorum_enter_voter(state);
	s.is_slow = true;
	said->votes = 0;
	return 0;
}

/* The member's process ends, and another begins. */
static void
restart_member(void)
{
	s.members[0].incarnation++;
	s.members[0].instance[1]++;
	stage_join(&s, 0);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	said->has_vote = false;
}

/* The member has promised this term to another. */
static void
deny(uint64_t promised)
{
	stage_vote(&s, 0,
	    &(struct vote_response){ .term = stage_status(&s, 0).term,
		.sent = 1,
		.denial = DENIAL_PROMISED,
		.promised = promised });
}

/* The member says so in an election; ASK is the first kind of any algorithm. */
static void
say(enum puppet_kind kind, uint64_t term, node_id id)
{
	struct message m = { .kind = (uint8_t)kind,
		.term = term,
		.rank = {
		    .is_eligible = true, .is_contender = true, .id = id } };
	uint8_t frames[FRAME_BYTES + TAGGED_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	member_write_message(&s.members[0], &w, &m);
	stage_beat(&s, 0, w.start, w.size, 1);
}

#define LEADER(name) STAGE_CASE(name, quorum_enter_leader, &s)
#define VOTER(name)  STAGE_CASE(name, enter_slow_voter, &s)

/* A process that has just started has another clock than the one before. */
VOTER(vote_requests_of_another_process_are_not_taken_for_older_ones)
{
	struct vote_request c = { .term = 50, .sent = 12345 };

	quorum_request(&s, &c);
	stage_persist(&s, 0, true);
	quorum_assert_voted(&s, &c, DENIAL_NONE);
	restart_member();
	c.sent = 100;
	quorum_request(&s, &c);
	quorum_assert_voted(&s, &c, DENIAL_PROMISED);
	assert_int_equal(said->vote.promised, 50);
	restart_member();
	c = (struct vote_request){ .term = 49, .sent = 1, .is_prevote = true };
	quorum_request(&s, &c);
	quorum_assert_voted(&s, &c, DENIAL_PROMISED);
	assert_int_equal(said->vote.promised, 50);
}

/* The pre-vote comes in after the binding request, which was sent later. */
VOTER(pre_vote_that_its_vote_request_has_overtaken_is_not_answered)
{
	const struct vote_request c = { .term = 50, .sent = 12345 };
	const struct vote_request dry = {
		.term = 50, .sent = 12344, .is_prevote = true
	};
	const struct vote_request lower = { .term = 49, .sent = 12343 };

	quorum_request(&s, &c);
	quorum_request(&s, &dry);
	quorum_request(&s, &lower);
	assert_int_equal(said->votes, 0);
	stage_persist(&s, 0, true);
	assert_int_equal(said->votes, 1);
	quorum_assert_voted(&s, &c, DENIAL_NONE);
}

/* The answer that is due with the next heartbeat is to the later one. */
VOTER(renewals_out_of_order_are_answered_by_the_later_one)
{
	struct vote_request first = { .term = 50, .sent = 12345 },
			    later = first;

	quorum_request(&s, &first);
	stage_persist(&s, 0, true);
	first.sent += 100;
	later.sent += 200;
	said->votes = 0;
	quorum_request(&s, &later);
	quorum_request(&s, &first);
	while (said->votes == 0)
		stage_run(&s, MSEC);
	quorum_assert_voted(&s, &later, DENIAL_NONE);
}

/* Both voters have promised a term, and an election has gone above it since:
 * its winner still needs their promises. */
LEADER(promises_that_an_election_has_overtaken_count_no_more)
{
	uint64_t term = stage_status(&s, 0).term;

	s.is_granting = false;
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_BEGUN);
	quorum_request(
	    &s, &(struct vote_request){ .term = term + 1, .sent = 5 });
	assert_int_equal(s.durable.promise.term, term + 1);
	say(ASK, term + 4, 1);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	deny(term + 1);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, 0).term, term);
	stage_run(&s, STAGE_BEAT);
	quorum_request(
	    &s, &(struct vote_request){ .term = term + 4, .sent = 6 });
	assert_int_equal(s.durable.promise.term, term + 4);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	deny(term + 4);
	assert_int_not_equal(stage_status(&s, 0).state, STATE_LEADER);
}

/* The last promise that it waits for is its own voter's. */
LEADER(leader_gives_up_as_soon_as_its_own_disk_is_done)
{
	uint64_t term = stage_status(&s, 0).term;

	s.is_granting = false;
	s.is_slow = true;
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_BEGUN);
	quorum_request(
	    &s, &(struct vote_request){ .term = term + 1, .sent = 5 });
	deny(term + 1);
	assert_true(s.is_persisting[0]);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	stage_persist(&s, 0, true);
	assert_int_not_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
}

/* The node leads, and the member, which is better, grants. */
static int
enter_worse_leader(void **state)
{
	(void)state;
	quorum_set(&s);
	s.setups[0].algorithm = &puppet;
	s.configured[0][0].priority = 9;
	quorum_begin(&s, 3 * SEC);
	s.is_granting = true;
	say(DECISION, stage_elect(&s, 0), 2);
	stage_run(&s, STAGE_BEAT);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	return 0;
}

/* The leader hands over, and wins an election above the term of its successor:
 * it would hand over once more only after a new request. */
STAGE_CASE(
    successor_is_no_rival_of_the_leader_that_hands_over, enter_worse_leader, &s)
{
	uint64_t term = stage_status(&s, 0).term;
	const struct rank member = { .is_eligible = true,
		.is_contender = true,
		.priority = 9,
		.id = 1 };

	s.is_granting = false;
	quorum_await_request(&s);
	stage_vote(&s, 0,
	    &(struct vote_response){
		.term = term,
		.sent = said->request.sent,
		.rival = member,
		.rival_term = term + 1,
	    });
	assert_true(said->beacon.hands_over);
	quorum_request(
	    &s, &(struct vote_request){ .term = term + 1, .sent = 5 });
	assert_true(s.durable.promise.is_early);
	s.is_granting = true;
	say(DECISION, term + 2, 2);
	stage_run(&s, 2 * STAGE_BEAT);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, 0).term, term + 2);
	assert_int_equal(said->beacon.term, term + 2);
	assert_false(said->beacon.hands_over);
}
