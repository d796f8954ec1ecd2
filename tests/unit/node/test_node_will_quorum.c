/* SPDX-License-Identifier: ISC */
/*
 * Wills under the guarantee "quorum". A will may give up what the dead process
 * held, which is then free at once; else it is not. A process that was declared
 * dead begins anew, with the vote that it had.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#define TERM 50 /* that the member holds */

static struct stage s;
static struct said *const said = &s.members[0].said;

static int
enter_leader(void **state)
{
	(void)state;
	quorum_set(&s);
	s.is_granting = true;
	quorum_begin(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, 2);
	return 0;
}

static enum denial
answer_to_request(uint64_t term)
{
	struct vote_request c = { .term = term, .sent = 12345 };

	said->votes = 0;
	quorum_request(&s, &c);
	assert_int_equal(said->votes, 1);
	assert_int_equal(said->vote.term, term);
	return said->vote.denial;
}

/* The member's next process comes up; by now the node may promise to another.
 */
static void
next_life(void)
{
	s.members[0].incarnation++;
	s.members[0].instance[2]++;
	s.members[0].has_session = false;
	stage_join(&s, 0);
	s.is_beating = true;
	stage_run(&s, STAGE_BEAT);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_int_equal(node_peer_status(s.nodes[0], 0).incarnation,
	    s.members[0].incarnation);
}

#define CASE(name, enter) STAGE_CASE(name, enter, &s)

CASE(plain_will_frees_no_voter, quorum_enter_voter)
{
	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	quorum_will(&s, 0);
	assert_false(node_peer_status(s.nodes[0], 0).session);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_HELD);
	stage_run(&s, QUORUM_LEASE);
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_NONE);
}

CASE(will_that_releases_frees_the_voter_at_once, quorum_enter_voter)
{
	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	quorum_will(&s, TERM);
	assert_false(node_peer_status(s.nodes[0], 0).session);
	assert_int_equal(
	    node_peer_status(s.nodes[0], 0).evidence, EVIDENCE_DIED);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_NONE);
}

/* Runs until the last deadline that the dead one handed out has passed. */
CASE(will_that_releases_comes_after_a_plain_one, quorum_enter_voter)
{
	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	quorum_will(&s, 0);
	stage_run(&s, STAGE_BEAT);
	quorum_will(&s, TERM);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_NONE);
}

CASE(releasing_will_counts_when_the_next_process_is_up, quorum_enter_voter)
{
	uint8_t will[PACKET_WILL_BYTES];

	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	quorum_will(&s, 0);
	member_will(&s.members[0], UINT64_MAX - 1, TERM, will);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_HELD);
	stage_feed(&s, 0, FROM_NOWHERE, will, PACKET_WILL_BYTES);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	/* The next process need not ask again. */
	assert_int_equal(said->votes, 2);
	assert_int_equal(said->vote.term, TERM + 1);
	assert_int_equal(said->vote.denial, DENIAL_NONE);
}

CASE(will_of_an_earlier_term_frees_no_voter, quorum_enter_voter)
{
	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	quorum_will(&s, TERM - 1);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_HELD);
}

/* Even a very high term is not the former process's to give up. */
CASE(process_gives_up_nothing_of_the_next_one, quorum_enter_voter)
{
	uint8_t will[PACKET_WILL_BYTES];

	quorum_will(&s, 0);
	member_will(&s.members[0], UINT64_MAX - 1, TERM + 100, will);
	next_life();
	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	stage_feed(&s, 0, FROM_NOWHERE, will, PACKET_WILL_BYTES);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	quorum_will(&s, 0);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_HELD);
}

CASE(copies_of_a_release_change_nothing, quorum_enter_voter)
{
	uint8_t will[PACKET_WILL_BYTES];

	assert_int_equal(answer_to_request(TERM), DENIAL_NONE);
	member_will(&s.members[0], UINT64_MAX, TERM, will);
	stage_feed(&s, 0, FROM_NOWHERE, will, PACKET_WILL_BYTES);
	stage_feed(&s, 0, FROM_NOWHERE, will, PACKET_WILL_BYTES);
	assert_false(node_peer_status(s.nodes[0], 0).session);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_NONE);
	stage_feed(&s, 0, FROM_NOWHERE, will, PACKET_WILL_BYTES);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	next_life();
	assert_int_equal(answer_to_request(TERM + 2), DENIAL_HELD);
}

/* A grant that was under way when it died is of no use. */
CASE(dead_process_is_granted_nothing, quorum_enter_voter)
{
	struct vote_request c = { .term = TERM, .sent = 12345 };

	s.is_slow = true;
	quorum_request(&s, &c);
	assert_true(s.is_persisting[0]);
	quorum_will(&s, TERM);
	said->votes = 0;
	stage_persist(&s, 0, true);
	s.is_slow = false;
	quorum_request(&s, &c);
	stage_run(&s, STAGE_BEAT);
	assert_int_equal(said->votes, 0);
	next_life();
	assert_int_equal(answer_to_request(TERM + 1), DENIAL_NONE);
}

CASE(leaders_wills_follow_its_term, enter_leader)
{
	for (unsigned i = 0; i < 5; i++) {
		struct packet_head head;
		struct will will;

		assert_int_equal(stage_status(&s, 0).leader, 2);
		assert_true(member_hear_will(&s.members[0],
		    s.wills[0][FROM_MEMBER][1].bytes,
		    s.wills[0][FROM_MEMBER][1].size, &head, &will));
		assert_int_equal(will.term, stage_status(&s, 0).term);
		assert_true(member_hear_will(&s.members[0],
		    s.wills[0][FROM_MEMBER][0].bytes,
		    s.wills[0][FROM_MEMBER][0].size, &head, &will));
		assert_int_equal(will.term, 0);
		stage_elect(&s, 0);
		stage_run(&s, SEC);
	}
}

CASE(no_number_is_used_twice, enter_leader)
{
	for (unsigned i = 0; i < 10; i++) {
		stage_elect(&s, 0);
		stage_run(&s, SEC);
	}
	assert_true(s.wills_count >= 10);
	assert_int_equal(s.wills_count, s.wills[0][FROM_MEMBER][0].count +
					    s.wills[0][FROM_MEMBER][1].count);
	for (unsigned i = 0; i < s.wills_count; i++) {
		assert_true(s.will_numbers[i] >= WILL_NUMBERS);
		for (unsigned j = 0; j < i; j++)
			assert_true(s.will_numbers[i] != s.will_numbers[j]);
	}
}

CASE(node_knows_the_deadline_that_it_handed_out, enter_leader)
{
	nsec_t until;

	assert_int_equal(node_handed_out(s.nodes[0]), 0);
	until = node_hand_out(s.nodes[0], s.now);
	assert_true(until > s.now);
	assert_int_equal(node_handed_out(s.nodes[0]), until);
	stage_declare_dead(&s, 0);
	assert_int_equal(node_handed_out(s.nodes[0]), until);
}

CASE(leader_that_was_declared_dead_leads_no_more, enter_leader)
{
	s.is_slow = true;
	s.is_granting = false;
	s.bytes_sent = 0;
	stage_declare_dead(&s, 0);
	assert_true(s.is_persisting[0]);
	assert_int_equal(s.durable.incarnation, 8);
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(s.lead.reason.kind, REASON_STALLED);
	assert_int_equal(node_hand_out(s.nodes[0], s.now), 0);
	/* The node sends nothing before its new name is on the disk. */
	stage_run(&s, 2 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(s.bytes_sent, 0);
	stage_persist(&s, 0, true);
	stage_run(&s, STAGE_BEAT);
	assert_true(s.bytes_sent > 0);
}

CASE(revived_leader_comes_back_with_its_vote, enter_leader)
{
	uint64_t term = stage_status(&s, 0).term;

	s.is_beating = false;
	stage_declare_dead(&s, 0);
	assert_int_equal(s.wills[0][FROM_MEMBER][0].size, 0);
	assert_int_equal(s.wills[0][FROM_MEMBER][1].size, 0);
	stage_run(&s, STAGE_BEAT);
	assert_true(s.members[0].was_greeted);
	stage_join(&s, 0);
	s.is_beating = true;
	assert_int_equal(s.members[0].their_incarnation, 8);
	assert_int_equal(stage_status(&s, 0).state_health, STATE_HEALTH_SOUND);
	assert_true(stage_status(&s, 0).has_vote);
	assert_int_equal(s.notices[NOTICE_STATE_FILE], 0);
	assert_int_equal(s.wills[0][FROM_MEMBER][0].size, PACKET_WILL_BYTES);
	stage_run(&s, 3 * QUORUM_LEASE);
	assert_int_equal(stage_status(&s, 0).leader, 2);
	assert_true(stage_status(&s, 0).term > term);
	assert_int_equal(stage_status(&s, 0).incarnation, 8);
}

/* The disk was busy with an earlier state, which is not enough. */
CASE(revived_leader_waits_for_the_right_durable_state, enter_leader)
{
	struct vote_request c = { .term = 1000, .sent = 12345 };

	s.is_slow = true;
	quorum_request(&s, &c);
	if (!s.is_persisting[0])
		stage_elect(&s, 0);
	assert_true(s.is_persisting[0]);
	assert_int_equal(s.durable.incarnation, 7);
	s.bytes_sent = 0;
	stage_declare_dead(&s, 0);
	stage_persist(&s, 0, true);
	assert_true(s.is_persisting[0]);
	assert_int_equal(s.durable.incarnation, 8);
	stage_run(&s, SEC);
	assert_int_equal(s.bytes_sent, 0);
}
