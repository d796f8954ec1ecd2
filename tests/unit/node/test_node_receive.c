/* SPDX-License-Identifier: ISC */
/*
 * The parts of a datagram beside its messages, when one of these ends the
 * session: the node judges nothing more of it, as nobody is left to hold to it.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#define ENOUGH 1000 /* messages: far more than a node has room for */
#define TERM   1000 /* of the requests: above all other terms here */

static struct stage s;
static uint32_t acknowledged; /* the member's acknowledgement */
static uint64_t asked;        /* the term of the questions */

/* A voter whose link to the member has been up until old leases were over. */
static int
enter(void **state)
{
	quorum_enter(state);
	s.is_slow = true;
	acknowledged = s.members[0].ack;
	asked = stage_status(&s, 0).term;
	return 0;
}

static bool
has_session(void)
{
	return node_peer_status(s.nodes[0], 0).session;
}

/* Bully: ELECTION of a worse node. It is answered with OK; and if it is the
 * first of its term, the node announces itself, too. */
static void
write_question(struct writer *w)
{
	struct message m = {
		.term = asked,
		.rank = { .is_eligible = true, .is_contender = true, .id = 1 },
	};

	member_write_message(&s.members[0], w, &m);
}

static void
write_request(struct writer *w)
{
	static const struct vote_request c = {
		.term = TERM, .sent = 12345, .lease = QUORUM_LEASE
	};
	uint8_t bytes[VOTE_REQUEST_BYTES];
	struct writer request = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { FRAME_VOTE_REQUEST, 0, bytes, sizeof(bytes) };

	vote_request_encode(&request, &c);
	frame_encode(w, &f);
}

/* Sends a question, with a request behind it or without, in a datagram that
 * acknowledges nothing new. */
static void
ask(bool is_requesting)
{
	uint8_t frames[PACKET_SEALED_MAX - BODY_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	write_question(&w);
	if (is_requesting)
		write_request(&w);
	assert_false(w.failed);
	s.members[0].ack = acknowledged;
	stage_beat(&s, 0, w.start, w.size, is_requesting ? 2 : 1);
}

/* Asks in a new term, again and again. Gives how many questions it took until
 * the session was over. */
static unsigned
ask_until_the_end(void)
{
	unsigned count = 0;

	asked++;
	for (; has_session() && count < ENOUGH; count++)
		ask(false);
	assert_in_range(count, 3, ENOUGH - 1);
	return count;
}

static void
join_again(void)
{
	stage_join(&s, 0);
	assert_true(has_session());
	acknowledged = s.members[0].ack;
}

/* Counts the messages of its elections that the node wanted to send. */
static uint64_t
answers(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < MESSAGE_KINDS_MAX; i++)
		sum += node_counters(s.nodes[0])->messages[i];
	return sum;
}

/* The next question of a new term has two answers, but there are blocks for
 * one. A question that finds no block at all is the last that the node takes;
 * the first has had two answers. */
static void
leave_room_for_one(void)
{
	unsigned took;

	ask_until_the_end();
	join_again();
	took = ask_until_the_end();
	join_again();
	asked++;
	for (unsigned i = 2; i < took; i++)
		ask(false);
	assert_true(has_session());
	asked++;
}

/* All promises until then are on the disk; now it waits. */
static void
finish_writing(void)
{
	while (s.is_persisting[0])
		stage_persist(&s, 0, true);
}

#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(vote_request_behind_a_message_is_answered)
{
	finish_writing();
	asked++;
	ask(true);
	assert_true(has_session());
	assert_true(s.is_persisting[0]);
	assert_int_equal(s.durable.promise.term, TERM);
	assert_int_equal(s.durable.promise.owner.id, 1);
	assert_int_equal(
	    s.durable.promise.owner.incarnation, s.members[0].incarnation);
}

/* An answer would promise the term to a process that no node knows any more. */
CASE(vote_request_behind_the_message_that_ends_the_session_is_not)
{
	struct promise before;
	uint64_t answered;

	leave_room_for_one();
	finish_writing();
	before = s.durable.promise;
	answered = answers();
	ask(true);
	assert_int_equal(answers(), answered + 2);
	assert_false(has_session());
	assert_int_equal(
	    node_peer_status(s.nodes[0], 0).evidence, EVIDENCE_RESET);
	assert_false(s.is_persisting[0]);
	stage_run(&s, STAGE_BEAT);
	assert_false(s.is_persisting[0]);
	assert_int_equal(s.durable.promise.term, before.term);
	assert_true(before.term < TERM);
}

/* A nominee that comes back and requests it again gets the promise. */
CASE(vote_request_that_is_repeated_in_the_next_session_is)
{
	leave_room_for_one();
	finish_writing();
	ask(true);
	assert_false(has_session());
	join_again();
	ask(true);
	assert_true(s.is_persisting[0]);
	assert_int_equal(s.durable.promise.term, TERM);
	assert_int_equal(
	    s.durable.promise.owner.incarnation, s.members[0].incarnation);
}
