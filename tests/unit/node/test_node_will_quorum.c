/* SPDX-License-Identifier: ISC */
/*
 * Wills under the guarantee "quorum". A will may give up what the dead process
 * held, which is then free at once; else it is not. A process that was declared
 * dead begins anew, with the vote that it had.
 */
#include "tests/lib/ballot.h"
#include "tests/unit/group.h"

#define TERM 50 /* that the member holds */

static struct ballot b;

static int
enter_leader(void **state)
{
	(void)state;
	ballot_set(&b);
	b.is_granting = true;
	ballot_begin(&b, 3 * SEC);
	assert_int_equal(ballot_status(&b).leader, 2);
	return 0;
}

static enum denial
answer_to_request(uint64_t term)
{
	struct vote_request c = { .term = term, .sent = 12345 };

	b.votes = 0;
	ballot_request(&b, &c);
	assert_int_equal(b.votes, 1);
	assert_int_equal(b.said.vote.term, term);
	return b.said.vote.denial;
}

/* The member's next process comes up; by now the node may promise to another.
 */
static void
next_life(void)
{
	b.member.incarnation++;
	b.member.instance[2]++;
	b.member.has_session = false;
	ballot_join(&b);
	ballot_run(&b, BALLOT_BEAT);
	assert_true(node_peer_status(b.node, 0).up);
	assert_int_equal(
	    node_peer_status(b.node, 0).incarnation, b.member.incarnation);
}

#define CASE(name, enter) BALLOT_CASE(name, enter, &b)

CASE(plain_will_frees_no_voter, ballot_enter_voter)
{
	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	ballot_will(&b, 0);
	assert_false(node_peer_status(b.node, 0).session);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_HELD);
	ballot_run(&b, BALLOT_LEASE);
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_NONE);
}

CASE(will_that_releases_frees_the_voter_at_once, ballot_enter_voter)
{
	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	ballot_will(&b, TERM);
	assert_false(node_peer_status(b.node, 0).session);
	assert_int_equal(node_peer_status(b.node, 0).evidence, EVIDENCE_DIED);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_NONE);
}

/* Runs until the last deadline that the dead one handed out has passed. */
CASE(will_that_releases_comes_after_a_plain_one, ballot_enter_voter)
{
	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	ballot_will(&b, 0);
	ballot_run(&b, BALLOT_BEAT);
	ballot_will(&b, TERM);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_NONE);
}

CASE(releasing_will_counts_when_the_next_process_is_up, ballot_enter_voter)
{
	uint8_t will[PACKET_WILL_BYTES];

	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	ballot_will(&b, 0);
	member_will(&b.member, UINT64_MAX - 1, TERM, will);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_HELD);
	ballot_feed_will(&b, will);
	assert_true(node_peer_status(b.node, 0).up);
	/* It need not ask again. */
	assert_int_equal(b.votes, 2);
	assert_int_equal(b.said.vote.term, TERM + 1);
	assert_int_equal(b.said.vote.denial, DENIAL_NONE);
}

CASE(will_of_an_earlier_term_frees_no_voter, ballot_enter_voter)
{
	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	ballot_will(&b, TERM - 1);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_HELD);
}

/* Even a very high term is not the former process's to give up. */
CASE(process_gives_up_nothing_of_the_next_one, ballot_enter_voter)
{
	uint8_t will[PACKET_WILL_BYTES];

	ballot_will(&b, 0);
	member_will(&b.member, UINT64_MAX - 1, TERM + 100, will);
	next_life();
	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	ballot_feed_will(&b, will);
	assert_true(node_peer_status(b.node, 0).up);
	ballot_will(&b, 0);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_HELD);
}

CASE(copies_of_a_release_change_nothing, ballot_enter_voter)
{
	uint8_t will[PACKET_WILL_BYTES];

	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	member_will(&b.member, UINT64_MAX, TERM, will);
	ballot_feed_will(&b, will);
	ballot_feed_will(&b, will);
	assert_false(node_peer_status(b.node, 0).session);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_NONE);
	ballot_feed_will(&b, will);
	assert_true(node_peer_status(b.node, 0).up);
	next_life();
	assert_int_equal(answer_to_request(TERM + 2), DENIAL_HELD);
}

/* A grant that was under way when it died is of no use. */
CASE(dead_process_is_granted_nothing, ballot_enter_voter)
{
	struct vote_request c = { .term = TERM, .sent = 12345 };

	b.is_slow = true;
	ballot_request(&b, &c);
	assert_true(b.is_persisting);
	ballot_will(&b, TERM);
	b.votes = 0;
	ballot_persist(&b, true);
	b.is_slow = false;
	ballot_request(&b, &c);
	ballot_run(&b, BALLOT_BEAT);
	assert_int_equal(b.votes, 0);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_NONE);
}

CASE(leaders_wills_follow_its_term, enter_leader)
{
	for (unsigned i = 0; i < 5; i++) {
		struct packet_head head;
		struct will will;

		assert_int_equal(ballot_status(&b).leader, 2);
		assert_true(member_hear_will(&b.member, b.wills[1].bytes,
		    b.wills[1].size, &head, &will));
		assert_int_equal(will.term, ballot_status(&b).term);
		assert_true(member_hear_will(&b.member, b.wills[0].bytes,
		    b.wills[0].size, &head, &will));
		assert_int_equal(will.term, 0);
		ballot_elect(&b);
		ballot_run(&b, SEC);
	}
}

CASE(no_number_is_used_twice, enter_leader)
{
	for (unsigned i = 0; i < 10; i++) {
		ballot_elect(&b);
		ballot_run(&b, SEC);
	}
	assert_true(b.wills_count >= 10);
	for (unsigned i = 0; i < b.wills_count; i++) {
		assert_true(b.will_numbers[i] >= WILL_NUMBERS);
		for (unsigned j = 0; j < i; j++)
			assert_true(b.will_numbers[i] != b.will_numbers[j]);
	}
}

CASE(node_knows_the_deadline_that_it_handed_out, enter_leader)
{
	nsec_t until;

	assert_int_equal(node_handed_out(b.node), 0);
	until = node_hand_out(b.node, b.now);
	assert_true(until > b.now);
	assert_int_equal(node_handed_out(b.node), until);
	ballot_declare_dead(&b);
	assert_int_equal(node_handed_out(b.node), until);
}

CASE(leader_that_was_declared_dead_leads_no_more, enter_leader)
{
	b.is_slow = true;
	b.is_granting = false;
	b.sent = 0;
	ballot_declare_dead(&b);
	assert_true(b.is_persisting);
	assert_int_equal(b.durable.incarnation, 8);
	assert_int_equal(b.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(b.lead.reason.kind, REASON_STALLED);
	assert_int_equal(node_hand_out(b.node, b.now), 0);
	/* It sends nothing before its new name is on the disk. */
	ballot_run(&b, 2 * SEC);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	assert_int_equal(b.sent, 0);
	ballot_persist(&b, true);
	ballot_run(&b, BALLOT_BEAT);
	assert_true(b.sent > 0);
}

CASE(revived_leader_comes_back_with_its_vote, enter_leader)
{
	uint64_t term = ballot_status(&b).term;

	ballot_declare_dead(&b);
	assert_int_equal(b.wills[0].size, 0);
	assert_int_equal(b.wills[1].size, 0);
	ballot_run(&b, BALLOT_BEAT);
	assert_true(b.member.was_greeted);
	ballot_join(&b);
	assert_int_equal(b.member.their_incarnation, 8);
	assert_int_equal(ballot_status(&b).state_health, STATE_HEALTH_SOUND);
	assert_true(ballot_status(&b).has_vote);
	assert_int_equal(b.notices[NOTICE_STATE_FILE], 0);
	assert_int_equal(b.wills[0].size, PACKET_WILL_BYTES);
	ballot_run(&b, 3 * BALLOT_LEASE);
	assert_int_equal(ballot_status(&b).leader, 2);
	assert_true(ballot_status(&b).term > term);
	assert_int_equal(ballot_status(&b).incarnation, 8);
}

/* The disk was busy with an earlier state, which is not enough. */
CASE(revived_leader_waits_for_the_right_durable_state, enter_leader)
{
	struct vote_request c = { .term = 1000, .sent = 12345 };

	b.is_slow = true;
	ballot_request(&b, &c);
	if (!b.is_persisting)
		ballot_elect(&b);
	assert_true(b.is_persisting);
	assert_int_equal(b.durable.incarnation, 7);
	b.sent = 0;
	ballot_declare_dead(&b);
	ballot_persist(&b, true);
	assert_true(b.is_persisting);
	assert_int_equal(b.durable.incarnation, 8);
	ballot_run(&b, SEC);
	assert_int_equal(b.sent, 0);
}
