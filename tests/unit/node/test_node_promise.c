/* SPDX-License-Identifier: ISC */
/*
 * A node counts only true answers and promises: requests come out of order, or
 * of another life, and voters promise the successor its term while the leader
 * still leads.
 */
#include "tests/lib/ballot.h"
#include "tests/lib/puppet.h"
#include "tests/unit/group.h"

static struct ballot b;

static int
enter_slow_voter(void **state)
{
	ballot_enter_voter(state);
	b.is_slow = true;
	b.votes = 0;
	return 0;
}

/* The member's process ends, and another begins. */
static void
restart_member(void)
{
	b.member.incarnation++;
	b.member.instance[1]++;
	ballot_join(&b);
	assert_true(node_peer_status(b.node, 0).up);
	b.said.has_vote = false;
}

/* The member has promised this term to another. */
static void
deny(uint64_t promised)
{
	ballot_vote(&b, &(struct vote_response){ .term = ballot_status(&b).term,
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

	member_write_message(&b.member, &w, &m);
	ballot_say(&b, &w, 1);
}

#define LEADER(name) BALLOT_CASE(name, ballot_enter_leader, &b)
#define VOTER(name)  BALLOT_CASE(name, enter_slow_voter, &b)

/* A process that has just started has another clock than the one before. */
VOTER(vote_requests_of_another_process_are_not_taken_for_older_ones)
{
	struct vote_request c = { .term = 50, .sent = 12345 };

	ballot_request(&b, &c);
	ballot_persist(&b, true);
	ballot_assert_voted(&b, &c, DENIAL_NONE);
	restart_member();
	c.sent = 100;
	ballot_request(&b, &c);
	ballot_assert_voted(&b, &c, DENIAL_PROMISED);
	assert_int_equal(b.said.vote.promised, 50);
	restart_member();
	c = (struct vote_request){ .term = 49, .sent = 1, .is_prevote = true };
	ballot_request(&b, &c);
	ballot_assert_voted(&b, &c, DENIAL_PROMISED);
	assert_int_equal(b.said.vote.promised, 50);
}

/* The pre-vote comes in after the binding request, which was sent later. */
VOTER(pre_vote_that_its_vote_request_has_overtaken_is_not_answered)
{
	const struct vote_request c = { .term = 50, .sent = 12345 };
	const struct vote_request dry = {
		.term = 50, .sent = 12344, .is_prevote = true
	};
	const struct vote_request lower = { .term = 49, .sent = 12343 };

	ballot_request(&b, &c);
	ballot_request(&b, &dry);
	ballot_request(&b, &lower);
	assert_int_equal(b.votes, 0);
	ballot_persist(&b, true);
	assert_int_equal(b.votes, 1);
	ballot_assert_voted(&b, &c, DENIAL_NONE);
}

/* The answer that is due with the next heartbeat is to the later one. */
VOTER(renewals_out_of_order_are_answered_by_the_later_one)
{
	struct vote_request first = { .term = 50, .sent = 12345 },
			    later = first;

	ballot_request(&b, &first);
	ballot_persist(&b, true);
	first.sent += 100;
	later.sent += 200;
	b.votes = 0;
	ballot_request(&b, &later);
	ballot_request(&b, &first);
	while (b.votes == 0)
		ballot_run(&b, MSEC);
	ballot_assert_voted(&b, &later, DENIAL_NONE);
}

/* Both voters have promised a term, and an election has gone above it since:
 * its winner still needs their promises. */
LEADER(promises_that_an_election_has_overtaken_count_no_more)
{
	uint64_t term = ballot_status(&b).term;

	b.is_granting = false;
	assert_int_equal(ballot_resign(&b, NODE_NONE), RESIGN_BEGUN);
	ballot_request(
	    &b, &(struct vote_request){ .term = term + 1, .sent = 5 });
	assert_int_equal(b.durable.promise.term, term + 1);
	say(ASK, term + 4, 1);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	deny(term + 1);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(ballot_status(&b).term, term);
	ballot_run(&b, BALLOT_BEAT);
	ballot_request(
	    &b, &(struct vote_request){ .term = term + 4, .sent = 6 });
	assert_int_equal(b.durable.promise.term, term + 4);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	deny(term + 4);
	assert_int_not_equal(ballot_status(&b).state, STATE_LEADER);
}

/* The last promise that it waits for is its own voter's. */
LEADER(leader_gives_up_as_soon_as_its_own_disk_is_done)
{
	uint64_t term = ballot_status(&b).term;

	b.is_granting = false;
	b.is_slow = true;
	assert_int_equal(ballot_resign(&b, NODE_NONE), RESIGN_BEGUN);
	ballot_request(
	    &b, &(struct vote_request){ .term = term + 1, .sent = 5 });
	deny(term + 1);
	assert_true(b.is_persisting);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	ballot_persist(&b, true);
	assert_int_not_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(b.lead.kind, NOTICE_NO_LEADER);
}

/* The node leads, and the member, which is better, grants. */
static int
enter_worse_leader(void **state)
{
	(void)state;
	ballot_set(&b);
	b.setup.algorithm = &puppet;
	b.peers[0].priority = 9;
	ballot_begin(&b, 3 * SEC);
	b.is_granting = true;
	say(DECISION, ballot_elect(&b), 2);
	ballot_run(&b, BALLOT_BEAT);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	return 0;
}

/* It hands over, and wins an election above the term of its successor: it would
 * hand over once more only after a new request. */
BALLOT_CASE(
    successor_is_no_rival_of_the_leader_that_hands_over, enter_worse_leader, &b)
{
	uint64_t term = ballot_status(&b).term;
	const struct rank member = { .is_eligible = true,
		.is_contender = true,
		.priority = 9,
		.id = 1 };

	b.is_granting = false;
	ballot_await_request(&b);
	ballot_vote(&b, &(struct vote_response){
			    .term = term,
			    .sent = b.said.request.sent,
			    .rival = member,
			    .rival_term = term + 1,
			});
	assert_true(b.said.beacon.hands_over);
	ballot_request(
	    &b, &(struct vote_request){ .term = term + 1, .sent = 5 });
	assert_true(b.durable.promise.is_early);
	b.is_granting = true;
	say(DECISION, term + 2, 2);
	ballot_run(&b, 2 * BALLOT_BEAT);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_int_equal(ballot_status(&b).term, term + 2);
	assert_int_equal(b.said.beacon.term, term + 2);
	assert_false(b.said.beacon.hands_over);
}
