/* SPDX-License-Identifier: ISC */
/*
 * Hostile datagrams at a live node: it drops each for the right reason, changes
 * nothing, and answers with no more bytes than came in.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

#include "common/util/random.h"

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX + 1];

static uint64_t
dropped_in_all(void)
{
	uint64_t count = 0;

	for (int i = 0; i < DROP_KINDS; i++)
		count += stage_dropped(&s, 0, (enum drop)i);
	return count;
}

static void
assert_same_status(const struct node_status *a, const struct node_status *b)
{
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->term, b->term);
	assert_int_equal(a->leader, b->leader);
	assert_int_equal(a->since, b->since);
	assert_int_equal(a->agree, b->agree);
	assert_int_equal(a->reachable, b->reachable);
	assert_int_equal(a->incarnation, b->incarnation);
	assert_int_equal(a->duplicate, b->duplicate);
}

/* Feeds it; the node counts it once, under this reason, and does nothing else.
 */
static void
assert_refused(
    enum stage_from from, const uint8_t *bytes, size_t size, enum drop reason)
{
	struct node_status before = stage_status(&s, 0), after;
	struct peer_status peer = node_peer_status(s.nodes[0], 0);
	uint64_t counted = stage_dropped(&s, 0, reason);
	uint64_t all = dropped_in_all();

	s.bytes_sent = 0;
	stage_feed(&s, 0, from, bytes, size);
	after = stage_status(&s, 0);
	assert_same_status(&before, &after);
	assert_int_equal(node_peer_status(s.nodes[0], 0).up, peer.up);
	assert_int_equal(node_peer_status(s.nodes[0], 0).session, peer.session);
	assert_int_equal(stage_dropped(&s, 0, reason), counted + 1);
	assert_int_equal(dropped_in_all(), all + 1);
	assert_int_equal(s.bytes_sent, 0);
}

/* Gives the reason to refuse a datagram of member 1 with this bit flipped. */
static enum drop
reason_of_flip(size_t bit, uint8_t type, uint64_t number)
{
	bool is_handshake = type == PACKET_HELLO || type == PACKET_HELLO_ACK;
	uint8_t flipped = (uint8_t)(type ^ 1 << bit % 8);
	size_t byte = bit / 8;

	if (byte == 0)
		return DROP_FOREIGN;
	if (byte == 1 && (flipped == 4 || flipped <= PACKET_HELLO_ACK ||
			     flipped > PACKET_DIED))
		return DROP_FOREIGN; /* a session has another version */
	if (byte == 1 && flipped == PACKET_DIED)
		return DROP_SEAL; /* of another size, so not opened */
	if (byte == 1)
		return is_handshake ? DROP_SESSION : DROP_SEAL;
	if (byte == 2)
		return is_handshake ? DROP_KEY : DROP_SEAL;
	if (byte >= 4 && byte < 8)
		return DROP_CLUSTER;
	if (bit == 11 * 8 + 1) /* 1 becomes 3, with which no session is */
		return is_handshake ? DROP_SEAL : DROP_SESSION;
	if (byte >= 8 && byte < 16)
		return DROP_UNKNOWN;
	if (byte >= 16 && byte < 24)
		return is_handshake ? DROP_SEAL : DROP_SESSION;
	if (byte >= 24 && byte < 32 && !is_handshake) {
		uint64_t bits = UINT64_C(1) << (8 * (31 - byte) + bit % 8);
		return (number ^ bits) < number ? DROP_REPLAY : DROP_SEAL;
	}
	return DROP_SEAL;
}

static void
refuse_every_flip(size_t size, uint64_t number)
{
	for (size_t bit = 0; bit < 8 * size; bit++) {
		enum drop reason = reason_of_flip(bit, datagram[1], number);

		datagram[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_refused(FROM_MEMBER, datagram, size, reason);
		datagram[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

static void
refuse_every_truncation(size_t size)
{
	for (size_t cut = 0; cut < size; cut++) {
		assert_refused(FROM_MEMBER, datagram, cut,
		    cut < PACKET_HEAD_BYTES ? DROP_SHORT : DROP_SEAL);
	}
	datagram[size] = 0;
	assert_refused(FROM_MEMBER, datagram, size + 1, DROP_SEAL);
}

#define CASE(name) STAGE_CASE(name, stage_enter_alone, &s)

CASE(altered_hello_is_refused)
{
	size_t size = member_hello(member, datagram);

	refuse_every_flip(size, 0);
	refuse_every_truncation(size);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_int_equal(member->answers, 1);
	assert_int_equal(member->answer.verdict, VERDICT_WELCOME);
}

CASE(altered_answer_is_refused)
{
	size_t size;

	assert_true(member->was_greeted);
	size = member_welcome(member, datagram);
	refuse_every_flip(size, 0);
	refuse_every_truncation(size);
	assert_false(node_peer_status(s.nodes[0], 0).session);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_true(node_peer_status(s.nodes[0], 0).session);
}

/* A heartbeat with a message of an election and a beacon. */
static size_t
rich_datagram(void)
{
	struct message election = { .term = 9,
		.rank = {
		    .is_eligible = true, .is_contender = true, .id = 1 } };
	struct beacon beacon = { .term = 9,
		.leader = { .is_eligible = true,
		    .is_contender = true,
		    .id = 1 },
		.incarnation = 5 };
	struct body body = member_body(member, s.now);
	uint8_t frames[128];
	struct writer w = writer_of(frames, sizeof(frames));

	member_write_message(member, &w, &election);
	member_write_beacon(&w, &beacon);
	body.frames_count = 2;
	return member_say(member, &body, frames, w.size, datagram);
}

CASE(altered_heartbeat_is_refused)
{
	uint64_t number;
	size_t size;

	stage_join(&s, 0);
	for (int i = 0; i < 40; i++)
		stage_beat(&s, 0, NULL, 0, 0);
	number = member->number;
	size = rich_datagram();
	refuse_every_flip(size, number);
	refuse_every_truncation(size);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_int_equal(stage_status(&s, 0).term, 10);
}

CASE(altered_goodbye_is_refused)
{
	uint8_t plain[BODY_BYTES];
	struct writer w = writer_of(plain, sizeof(plain));
	struct body body;
	uint64_t number;
	size_t size;

	stage_join(&s, 0);
	body = member_body(member, s.now);
	body_encode(&w, &body);
	number = member->number;
	size = member_seal(member, PACKET_BYE, 0, plain, w.size, datagram);
	refuse_every_flip(size, number);
	refuse_every_truncation(size);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_false(node_peer_status(s.nodes[0], 0).session);
	assert_int_equal(
	    node_peer_status(s.nodes[0], 0).evidence, EVIDENCE_BYE);
}

CASE(too_long_a_datagram_is_refused)
{
	stage_join(&s, 0);
	member_seal(member, PACKET_SESSION, 0, datagram, 30, datagram);
	assert_refused(FROM_MEMBER, datagram, PACKET_MAX + 1, DROP_SHORT);
	assert_refused(FROM_MEMBER, NULL, 0, DROP_SHORT);
}

/* A hello that differs from a good one in one thing only. */
CASE(hello_that_is_not_for_us_is_refused)
{
	struct member m = *member;
	size_t size;

	m.cluster_tag ^= 1;
	size = member_hello(&m, datagram);
	assert_refused(FROM_MEMBER, datagram, size, DROP_CLUSTER);
	m = *member;
	m.id = 2;
	size = member_hello(&m, datagram);
	assert_refused(FROM_MEMBER, datagram, size, DROP_SAME_ID);
	m.id = 9;
	size = member_hello(&m, datagram);
	assert_refused(FROM_MEMBER, datagram, size, DROP_UNKNOWN);
	m.id = NODE_NONE;
	size = member_hello(&m, datagram);
	assert_refused(FROM_MEMBER, datagram, size, DROP_UNKNOWN);
	m = *member;
	m.to = 3;
	size = member_hello(&m, datagram);
	assert_refused(FROM_MEMBER, datagram, size, DROP_UNKNOWN);
	size = member_hello(member, datagram);
	datagram[0] = PACKET_VERSION_HANDSHAKE + 1;
	assert_refused(FROM_MEMBER, datagram, size, DROP_FOREIGN);
	datagram[0] = PACKET_VERSION_HANDSHAKE;
	datagram[1] = PACKET_DIED + 1;
	assert_refused(FROM_MEMBER, datagram, size, DROP_FOREIGN);
}

/* One key has another identifier, and one the same. */
CASE(wrong_key_is_refused)
{
	struct member m = *member;
	size_t size;

	m.key[KEY_BYTES - 1] = 1;
	assert_int_not_equal(seal_key_id(m.key), seal_key_id(member->key));
	size = member_hello(&m, datagram);
	assert_refused(FROM_MEMBER, datagram, size, DROP_KEY);
	while (seal_key_id(m.key) != seal_key_id(member->key))
		for (size_t i = 0; ++m.key[i] == 0; i++)
			continue;
	size = member_hello(&m, datagram);
	assert_refused(FROM_MEMBER, datagram, size, DROP_SEAL);
}

CASE(number_that_was_heard_before_is_refused)
{
	size_t size;

	stage_join(&s, 0);
	size = rich_datagram();
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	for (int i = 0; i < 3; i++)
		assert_refused(FROM_MEMBER, datagram, size, DROP_REPLAY);
}

/* An answer to a hello that has its answer, or was never sent. */
CASE(answers_to_no_question_are_refused)
{
	uint8_t first[HANDSHAKE_BYTES];
	struct handshake none = { .verdict = VERDICT_WELCOME };
	size_t size;

	size = member_handshake(member, PACKET_HELLO_ACK, &none, datagram);
	assert_refused(FROM_MEMBER, datagram, size, DROP_REPLAY);
	member_welcome(member, first);
	stage_feed(&s, 0, FROM_MEMBER, first, sizeof(first));
	assert_refused(FROM_MEMBER, first, sizeof(first), DROP_SESSION);
}

CASE(datagrams_without_a_session_are_refused)
{
	size_t size;

	member->has_session = true;
	member->their_incarnation = 7;
	size = rich_datagram();
	assert_refused(FROM_MEMBER, datagram, size, DROP_SESSION);
}

CASE(dead_incarnations_are_refused)
{
	uint8_t plain[BODY_BYTES];
	struct writer w = writer_of(plain, sizeof(plain));
	struct body body;
	size_t size;

	stage_join(&s, 0);
	body = member_body(member, s.now);
	body_encode(&w, &body);
	size = member_seal(member, PACKET_BYE, 0, plain, w.size, datagram);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	size = rich_datagram();
	assert_refused(FROM_MEMBER, datagram, size, DROP_INCARNATION);
	/* The process does not come back by an answer to our hello either; the
	 * node refuses it once. */
	stage_run(&s, 200 * MSEC);
	assert_true(member->was_greeted);
	s.bytes_sent = 0;
	size = member_welcome(member, datagram);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_int_equal(stage_dropped(&s, 0, DROP_INCARNATION), 2);
	assert_int_equal(s.bytes_sent, HANDSHAKE_BYTES);
	assert_false(node_peer_status(s.nodes[0], 0).session);
	assert_refused(FROM_MEMBER, datagram, size, DROP_SESSION);
}

CASE(at_most_twenty_hellos_a_second_are_answered)
{
	for (unsigned second = 1; second <= 10; second++) {
		for (int i = 0; i < 500; i++) {
			size_t size = member_hello(member, datagram);

			s.bytes_sent = 0;
			stage_feed(&s, 0, FROM_MEMBER, datagram, size);
			assert_true(s.bytes_sent <= size);
			stage_run(&s, 2 * MSEC);
		}
		/* At first the budget is that of a second. */
		assert_in_range(member->answers, 20 * second, 20 * second + 22);
	}
	assert_int_equal(
	    stage_dropped(&s, 0, DROP_RATE), 5000 - member->answers);
}

/* Until the peer confirms it, a repeated hello gets the same answer; later it
 * is a copy, and gets none. */
CASE(replayed_hello_changes_nothing)
{
	size_t size = member_hello(member, datagram);
	struct handshake first;

	for (int i = 0; i < 5; i++) {
		s.bytes_sent = 0;
		stage_feed(&s, 0, FROM_MEMBER, datagram, size);
		assert_true(s.bytes_sent <= size);
		if (i == 0)
			first = member->answer;
		assert_memory_equal(
		    member->answer.salt, first.salt, SALT_BYTES);
	}
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	for (int i = 0; i < 5; i++)
		assert_refused(FROM_MEMBER, datagram, size, DROP_REPLAY);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 0);
	assert_int_equal(stage_dropped(&s, 0, DROP_SEAL), 0);
}

/* Half of them begin like a datagram of the cluster's. */
CASE(random_datagrams_come_to_nothing)
{
	struct random random;

	random_init(&random, 1);
	stage_join(&s, 0);
	for (int i = 0; i < 100000; i++) {
		size_t size = (size_t)random_below(&random, 256);
		struct node_status before = stage_status(&s, 0), after;
		uint64_t all = dropped_in_all();

		rich_datagram();
		for (size_t j = i % 2 ? 0 : 16; j < size; j++)
			datagram[j] = (uint8_t)random_next(&random);
		s.bytes_sent = 0;
		stage_feed(&s, 0, (enum stage_from)(i % 3), datagram, size);
		after = stage_status(&s, 0);
		assert_same_status(&before, &after);
		assert_int_equal(s.bytes_sent, 0);
		assert_int_equal(dropped_in_all(), all + 1);
	}
}
