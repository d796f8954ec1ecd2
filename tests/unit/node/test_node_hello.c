/* SPDX-License-Identifier: ISC */
/*
 * Genuine hellos that an attacker repeats, early, late or often; hellos of
 * processes that are gone; and how often a node sends its own.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

#define COPIES 40 /* more than are answered at once */

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

/* Hellos of the member's that an attacker recorded. */
static uint8_t recorded[HANDSHAKE_BYTES];

static void
say_hello(void)
{
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
}

/* The member sends a hello of this incarnation, which is recorded; it need not
 * arrive. */
static void
record_hello(uint64_t incarnation)
{
	uint64_t now = member->incarnation;

	member->incarnation = incarnation;
	member_hello(member, recorded);
	member->incarnation = now;
}

static void
replay(enum stage_from from, unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		stage_feed(&s, 0, from, recorded, sizeof(recorded));
}

/* The member's next datagram is under keys that the node takes. */
static void
assert_member_comes_up(void)
{
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(
	    node_peer_status(s.nodes[0], 0).incarnation, member->incarnation);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_int_equal(stage_dropped(&s, 0, DROP_SESSION), 0);
	assert_int_equal(stage_dropped(&s, 0, DROP_SEAL), 0);
}

#define CASE(name) STAGE_CASE(name, stage_enter_alone, &s)

CASE(earlier_hello_does_not_break_into_a_handshake)
{
	record_hello(5);
	say_hello();
	replay(FROM_MEMBER, 1);
	assert_int_equal(stage_dropped(&s, 0, DROP_REPLAY), 1);
	assert_member_comes_up();
}

CASE(former_process_does_not_break_into_a_handshake)
{
	record_hello(4);
	say_hello();
	replay(FROM_MEMBER, 1);
	assert_int_equal(member->answer.verdict, VERDICT_STALE);
	assert_member_comes_up();
}

/* The node welcomed the new process, but the old session is still there. */
CASE(copy_from_elsewhere_displaces_no_welcome)
{
	record_hello(4);
	stage_join(&s, 0);
	member->incarnation = 6;
	say_hello();
	assert_int_equal(member->answer.verdict, VERDICT_WELCOME);
	replay(FROM_NOWHERE, 1);
	assert_int_equal(stage_dropped(&s, 0, DROP_ADDRESS), 1);
	assert_member_comes_up();
}

CASE(copies_of_a_hello_do_not_keep_the_next_one_from_its_answer)
{
	unsigned answers;

	record_hello(5);
	replay(FROM_MEMBER, COPIES);
	assert_true(stage_dropped(&s, 0, DROP_RATE) > 0);
	answers = member->answers;
	say_hello();
	assert_int_equal(member->answers, answers + 1);
	assert_member_comes_up();
}

/* The answer was lost, so the peer sends the same hello again. */
CASE(copies_of_a_stale_hello_do_not_keep_a_repeated_one_from_it)
{
	size_t size;
	unsigned answers;

	record_hello(4);
	size = member_hello(member, datagram);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	replay(FROM_MEMBER, COPIES);
	assert_true(stage_dropped(&s, 0, DROP_RATE) > 0);
	answers = member->answers;
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_int_equal(member->answers, answers + 1);
	assert_int_equal(member->answer.verdict, VERDICT_WELCOME);
	assert_member_comes_up();
}

/* A second process at the peer's address gets its refusal, too. */
CASE(copies_from_elsewhere_do_not_use_up_the_peers_answers)
{
	unsigned answers;

	record_hello(4);
	stage_join(&s, 0);
	replay(FROM_NOWHERE, COPIES);
	assert_true(stage_dropped(&s, 0, DROP_RATE) > 0);
	answers = member->answers;
	member->incarnation = 4;
	say_hello();
	assert_int_equal(member->answers, answers + 1);
	assert_int_equal(member->answer.verdict, VERDICT_DUPLICATE);
}

/* If both send a hello at once, that of the lower id goes on, but not a stale
 * one: the answer to ours is still welcome. */
CASE(stale_hello_of_the_lower_id_does_not_cancel_ours)
{
	record_hello(4);
	stage_join(&s, 0);
	stage_run(&s, SEC);
	assert_false(node_peer_status(s.nodes[0], 0).session);
	assert_true(member->was_greeted);
	replay(FROM_MEMBER, 1);
	assert_int_equal(member->answer.verdict, VERDICT_STALE);
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_welcome(member, datagram));
	assert_true(node_peer_status(s.nodes[0], 0).session);
}

/* The node cannot know which of the two lives: it remembers the higher one. */
CASE(lower_incarnation_learns_of_one_that_only_asked)
{
	member->incarnation = 9;
	say_hello();
	assert_int_equal(member->answer.verdict, VERDICT_WELCOME);
	member->incarnation = 6;
	say_hello();
	assert_int_equal(member->answer.verdict, VERDICT_STALE);
	assert_int_equal(member->answer.known, 9);
	assert_false(node_peer_status(s.nodes[0], 0).session);
	member->incarnation = member->answer.known + 1;
	say_hello();
	assert_int_equal(member->answer.verdict, VERDICT_WELCOME);
	assert_member_comes_up();
}

static void
say_goodbye(void)
{
	struct body body = member_body(member, s.now);
	uint8_t plain[BODY_BYTES];
	struct writer w = writer_of(plain, sizeof(plain));

	body_encode(&w, &body);
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_seal(member, PACKET_BYE, 0, plain, w.size, datagram));
}

/* An earlier datagram of it that comes late does not revive it. */
CASE(process_that_said_goodbye_is_not_welcome_again)
{
	stage_join(&s, 0);
	say_goodbye();
	assert_int_equal(
	    node_peer_status(s.nodes[0], 0).evidence, EVIDENCE_BYE);
	say_hello();
	assert_int_equal(member->answer.verdict, VERDICT_STALE);
	assert_int_equal(member->answer.known, 5);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_false(node_peer_status(s.nodes[0], 0).session);
	stage_run(&s, 200 * MSEC);
	member->answer = (struct handshake){ .verdict = VERDICT_WELCOME };
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_welcome(member, datagram));
	assert_false(node_peer_status(s.nodes[0], 0).session);
	assert_int_equal(stage_dropped(&s, 0, DROP_INCARNATION), 1);
	/* The process learns that it is stale without asking. */
	assert_int_equal(member->answer.verdict, VERDICT_STALE);
	assert_int_equal(member->answer.known, 5);
	assert_memory_equal(member->answer.echo, member->salt, SALT_BYTES);
	member->incarnation = 6;
	say_hello();
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(node_peer_status(s.nodes[0], 0).up);
}

/* The asker knows a later incarnation of this node, which has forgotten it. */
static void
refuse_its_answer(uint64_t known, const uint8_t *echo)
{
	struct handshake h = { .verdict = VERDICT_STALE, .known = known };

	memcpy(h.echo, echo, SALT_BYTES);
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_handshake(member, PACKET_HELLO_ACK, &h, datagram));
}

CASE(node_that_is_refused_as_it_answers_goes_above_its_later_life)
{
	say_hello();
	refuse_its_answer(9, member->answer.salt);
	assert_int_equal(s.durable.incarnation, 10);
	say_hello();
	assert_int_equal(member->their_incarnation, 10);
	assert_member_comes_up();
}

/* An answer that was recorded, or was to another hello, has no effect. */
CASE(refusal_of_another_answer_is_not_heeded)
{
	uint8_t other[SALT_BYTES] = { 1 };

	say_hello();
	refuse_its_answer(9, other);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	refuse_its_answer(9, member->answer.salt);
	assert_int_equal(s.durable.incarnation, 0);
	assert_int_equal(member->their_incarnation, 7);
}

/* A welcome in an answer's place has no effect. */
CASE(answer_to_an_answer_is_no_welcome)
{
	struct handshake h = { .verdict = VERDICT_WELCOME, .known = 9 };

	say_hello();
	memcpy(h.echo, member->answer.salt, SALT_BYTES);
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_handshake(member, PACKET_HELLO_ACK, &h, datagram));
	assert_int_equal(s.durable.incarnation, 0);
	assert_false(node_peer_status(s.nodes[0], 0).session);
}

/* A node without a session sends only hellos, here to two peers. */
CASE(dead_peers_hear_a_hello_with_each_heartbeat)
{
	stage_run(&s, 60 * SEC);
	assert_in_range(
	    s.bytes_sent, 2 * 570 * HANDSHAKE_BYTES, 2 * 630 * HANDSHAKE_BYTES);
}

/* Node 3 leads, and goes on seeking the member. */
TEST(follower_says_ten_hellos_and_then_one_a_second)
{
	uint64_t sent;

	stage_set(&s, STAGE_NODES);
	s.is_beating = false;
	stage_start(&s);
	stage_run(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, 3);
	for (unsigned node = 0; node < STAGE_NODES; node++) {
		sent = node_peer_status(s.nodes[node], FROM_MEMBER).sent;
		stage_run(&s, 60 * SEC);
		sent = node_peer_status(s.nodes[node], FROM_MEMBER).sent - sent;
		assert_in_range(
		    sent, node == 0 ? 50 : 570, node == 0 ? 67 : 630);
	}
	stage_strike(&s);
}
