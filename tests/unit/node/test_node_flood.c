/* SPDX-License-Identifier: ISC */
/*
 * A member that uses up a node's memory: it asks and never acknowledges the
 * answers, or sends messages behind one that it never sends. It loses its
 * session, no other peer does, and the node has all its blocks again.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <stdlib.h>

#define ENOUGH            1000 /* messages: far more than a node has room for */
#define BEHIND_GAP        31   /* messages in the window behind a missing one */
#define MESSAGES_AT_LEAST 64   /* that a node has room for */

static struct stage s;
static struct member *const member = &s.members[0];
static uint32_t acknowledged; /* the member's acknowledgement */

/* A leader, whose link to the member is up. */
static int
enter(void **state)
{
	(void)state;
	stage_set(&s, 1);
	stage_begin(&s, 3 * SEC);
	s.is_beating = false;
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	acknowledged = member->ack;
	return 0;
}

static bool
has_session(void)
{
	return node_peer_status(s.nodes[0], 0).session;
}

/* Sends a datagram of the member's that acknowledges nothing new. */
static void
say_frames(enum packet_type type, const uint8_t *frames, size_t frames_size,
    uint16_t count)
{
	uint8_t datagram[PACKET_MAX];
	uint8_t plain[PACKET_SEALED_MAX];
	struct writer w = writer_of(plain, sizeof(plain));
	struct body body = member_body(member, s.now);
	size_t size;

	body.ack = acknowledged;
	body.frames_count = count;
	body_encode(&w, &body);
	write_bytes(&w, frames, frames_size);
	assert_false(w.failed);
	size = member_seal(member, type, 0, plain, w.size, datagram);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
}

/* Makes the member's next message. */
static void
say(enum packet_type type, const struct message *m)
{
	uint8_t frame[PACKET_SEALED_MAX];
	struct writer w = writer_of(frame, sizeof(frame));

	member_write_message(member, &w, m);
	say_frames(type, frame, w.size, 1);
}

/* Bully: ELECTION of a worse node, of a new term; it is answered with OK. */
static struct message
question(void)
{
	return (struct message){
		.term = stage_status(&s, 0).term + 1,
		.rank = { .is_eligible = true, .is_contender = true, .id = 1 },
	};
}

/* Gives how many it took until the session was over. */
static unsigned
ask_until_the_end(void)
{
	struct message m = question();
	unsigned count = 0;

	for (; has_session() && count < ENOUGH; count++)
		say(PACKET_SESSION, &m);
	assert_true(count < ENOUGH);
	return count;
}

/* Shakes hands again, and gets answers as if nothing had happened. */
static void
assert_all_is_well_again(void)
{
	uint32_t heard;
	struct message m;

	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	stage_join(&s, 0);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	stage_run(&s, 50 * MSEC);
	m = question();
	heard = member->ack;
	for (unsigned i = 0; i < 8; i++) {
		acknowledged = member->ack;
		say(PACKET_SESSION, &m);
	}
	assert_true(has_session());
	assert_true(member->ack >= heard + 8);
}

#define CASE(name)     STAGE_CASE(name, enter, &s)
#define CASE_LED(name) STAGE_CASE(name, enter_led, &s)

CASE(member_that_acknowledges_nothing_loses_its_session)
{
	ask_until_the_end();
	assert_false(has_session());
	assert_int_equal(
	    node_peer_status(s.nodes[0], 0).evidence, EVIDENCE_RESET);
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 1);
	assert_all_is_well_again();
}

/* A new session has as many blocks as the first: none has leaked. */
CASE(each_session_has_the_same_memory)
{
	unsigned first, next;

	ask_until_the_end();
	stage_join(&s, 0);
	acknowledged = member->ack;
	first = ask_until_the_end();
	for (int i = 0; i < 20; i++) {
		stage_join(&s, 0);
		acknowledged = member->ack;
		next = ask_until_the_end();
		assert_int_equal(next, first);
	}
}

/* Asks until there is room for so many messages and no more. */
static void
leave_room_for(unsigned room)
{
	struct message m;
	unsigned took;

	ask_until_the_end();
	stage_join(&s, 0);
	acknowledged = member->ack;
	took = ask_until_the_end();
	stage_join(&s, 0);
	acknowledged = member->ack;
	m = question();
	for (unsigned i = 1 + room; i < took; i++)
		say(PACKET_SESSION, &m);
	assert_true(has_session());
}

/* A question of a new term is answered, and the node announces itself: the
 * second of these has no room. */
CASE(answer_that_finds_no_memory_ends_the_session)
{
	struct message m;

	leave_room_for(1);
	m = question();
	say(PACKET_SESSION, &m);
	assert_false(has_session());
	assert_int_equal(
	    node_peer_status(s.nodes[0], 0).evidence, EVIDENCE_RESET);
	assert_all_is_well_again();
}

/* The message ended the session by a reset, before the peer could leave. So the
 * same process may come back. */
CASE(goodbye_with_the_message_that_is_too_many_is_a_reset)
{
	for (unsigned room = 0; room < 2; room++) {
		struct message m;

		leave_room_for(room);
		m = question();
		say(PACKET_BYE, &m);
		assert_false(has_session());
		assert_int_equal(
		    node_peer_status(s.nodes[0], 0).evidence, EVIDENCE_RESET);
		assert_all_is_well_again();
		acknowledged = member->ack;
	}
}

/* The message ended the session, so the peer can name no leader in it. */
CASE(beacon_with_the_message_that_is_too_many_does_not_count)
{
	const struct beacon old = { .term = 1,
		.leader = { .is_eligible = true, .id = 3 } };
	uint8_t frames[PACKET_SEALED_MAX];
	struct writer w = writer_of(frames, sizeof(frames));
	struct message m;

	leave_room_for(1);
	m = question();
	member_write_beacon(&w, &old);
	member_write_message(member, &w, &m);
	say_frames(PACKET_SESSION, frames, w.size, 2);
	assert_false(has_session());
	assert_int_equal(node_peer_status(s.nodes[0], 0).leader, NODE_NONE);
	assert_all_is_well_again();
}

/* Answers take half of the blocks; then come messages that must wait for an
 * earlier one. */
CASE(member_that_hoards_behind_a_gap_loses_its_session)
{
	struct message m = question();
	unsigned count = 0;

	for (unsigned i = 0; i < 48; i++)
		say(PACKET_SESSION, &m);
	assert_true(has_session());
	m.list_count = LIST_MAX;
	for (unsigned i = 0; i < LIST_MAX; i++)
		m.list[i] = i + 1;
	member->sequence++;
	for (; has_session() && count < BEHIND_GAP; count++)
		say(PACKET_SESSION, &m);
	assert_false(has_session());
	assert_int_equal(
	    node_peer_status(s.nodes[0], 0).evidence, EVIDENCE_RESET);
	assert_all_is_well_again();
}

/* A follower, and its leader beside the member. */
static int
enter_led(void **state)
{
	(void)state;
	stage_set(&s, 2);
	stage_begin(&s, 3 * SEC);
	s.is_beating = false;
	assert_int_equal(stage_status(&s, 0).leader, 3);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	acknowledged = member->ack;
	return 0;
}

/* No more than the member's session with the node has ended. */
static void
assert_only_the_member_was_lost(void)
{
	assert_false(has_session());
	assert_int_equal(
	    node_peer_status(s.nodes[0], 0).evidence, EVIDENCE_RESET);
	assert_true(node_peer_status(s.nodes[0], 1).up);
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 1);
}

/* The node begins an election, and has no block to ask the leader: it asks all
 * the same. */
CASE_LED(message_to_another_takes_the_memory_of_the_largest_user)
{
	uint64_t term;

	leave_room_for(0);
	s.notices[NOTICE_PEER_DOWN] = 0;
	term = stage_elect(&s, 0);
	assert_only_the_member_was_lost();
	assert_int_equal(stage_status(&s, 0).leader, 3);
	assert_int_equal(stage_status(&s, 0).term, term);
}

/* The leader is the one that sends, and does not hear the node: it says so once
 * more. */
CASE_LED(message_from_another_takes_the_memory_of_the_largest_user)
{
	uint64_t term;

	leave_room_for(0);
	s.notices[NOTICE_PEER_DOWN] = 0;
	term = stage_elect(&s, 1);
	assert_only_the_member_was_lost();
	stage_run(&s, 50 * MSEC);
	assert_only_the_member_was_lost();
	assert_int_equal(stage_status(&s, 0).leader, 3);
	assert_int_equal(stage_status(&s, 0).term, term);
}

/* The leader hears nothing, so it keeps as many messages waiting as the member
 * does; but the member's message causes the next two. */
CASE_LED(message_that_makes_others_costs_its_sender)
{
	struct message m;
	unsigned count = 0;

	s.is_cut = true;
	for (; has_session() && count < ENOUGH; count++) {
		m = question();
		say(PACKET_SESSION, &m);
	}
	assert_false(has_session());
	assert_true(node_peer_status(s.nodes[0], 1).session);
}

#define CROWD 4 /* members that the test plays around the node */

static struct member crowd[CROWD];
static struct node *node;

static int
enter_crowd(void **state)
{
	static struct peer_setup peers[CROWD];
	struct node_setup setup;

	(void)state;
	stage_set(&s, 1);
	setup = s.setups[0];
	setup.self = CROWD + 1;
	setup.peers = peers;
	setup.peers_count = CROWD;
	for (unsigned i = 0; i < CROWD; i++) {
		peers[i] =
		    (struct peer_setup){ .id = i + 1, .role = ROLE_CANDIDATE };
		member_init(&crowd[i], i + 1, setup.self, setup.keys.first);
	}
	node = node_init(calloc(1, node_size(&setup)), &setup, s.now);
	assert_non_null(node);
	return 0;
}

static int
leave_crowd(void **state)
{
	(void)state;
	node_done(node);
	free(node);
	return 0;
}

/* A datagram of the crowd, and all that the node sends at once. */
static void
feed_of_crowd(unsigned from, const uint8_t *bytes, size_t size)
{
	static struct action action;

	node_receive(node, s.now, 0, from, bytes, size);
	while (node_act(node, s.now, &action)) {
		if (action.kind == ACTION_PERSIST)
			node_persisted(node, s.now, true);
		if (member_is_addressed(&action))
			member_hear(
			    &crowd[action.peer], action.datagram, action.size);
		if (action.kind == ACTION_REPLY)
			member_hear(&crowd[from], action.datagram, action.size);
	}
	node_check(node);
}

static void
say_in_crowd(unsigned from, const struct message *m)
{
	uint8_t datagram[PACKET_MAX], frame[PACKET_SEALED_MAX];
	struct writer w = writer_of(frame, sizeof(frame));
	struct body body = member_body(&crowd[from], s.now);

	if (m != NULL)
		member_write_message(&crowd[from], &w, m);
	body.frames_count = m != NULL;
	feed_of_crowd(from, datagram,
	    member_say(&crowd[from], &body, frame, w.size, datagram));
}

static unsigned
sessions_of_crowd(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < CROWD; i++)
		count += node_peer_status(node, i).session;
	return count;
}

/*
 * The last member acknowledges all; the others hear the node and say nothing.
 * Each of them holds the same, too little to be the largest user. The end of
 * the speaker's session frees nothing, so the session of the member whose
 * message has no room ends too.
 */
TEST(message_that_finds_no_memory_even_then_ends_its_own_session, enter_crowd,
    leave_crowd)
{
	uint8_t datagram[PACKET_MAX];
	/* Bully: COORDINATOR of a worse node. The node tells all members that
	 * it is better, the speaker last. */
	struct message m = { .kind = 2,
		.rank = { .is_eligible = true, .id = CROWD } };

	for (unsigned i = 0; i < CROWD; i++) {
		feed_of_crowd(i, datagram, member_hello(&crowd[i], datagram));
		say_in_crowd(i, NULL);
	}
	assert_int_equal(sessions_of_crowd(), CROWD);
	while (sessions_of_crowd() == CROWD && m.term < ENOUGH) {
		m.term++;
		say_in_crowd(CROWD - 1, &m);
	}
	assert_false(node_peer_status(node, CROWD - 1).session);
	assert_int_equal(sessions_of_crowd(), CROWD - 2);
}
