/* SPDX-License-Identifier: ISC */
/*
 * Datagrams of a member, under its session's seal, that make no sense: the
 * node, which leads the member, drops them as such and leads on.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

static void
begin(enum prefer prefer)
{
	stage_set(&s, 1);
	s.setups[0].prefer = prefer;
	stage_begin(&s, 3 * SEC);
	s.is_beating = false;
}

/* A leader, whose link to the member is up. */
static int
enter(void **state)
{
	(void)state;
	begin(PREFER_HIGHEST);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	return 0;
}

/* The node counts the body and its frames as senseless, once. */
static void
assert_senseless(const struct body *body, const uint8_t *frames, size_t size)
{
	uint64_t before = stage_dropped(&s, 0, DROP_FORMAT);
	uint64_t term = stage_status(&s, 0).term;

	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_say(member, body, frames, size, datagram));
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), before + 1);
	assert_int_equal(stage_status(&s, 0).term, term);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_true(node_peer_status(s.nodes[0], 0).up);
}

#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(bodies_without_sense_are_dropped)
{
	const struct body good = member_body(member, s.now);
	struct body body = good;

	for (size_t size = 0; size < BODY_BYTES; size++) {
		uint64_t before = stage_dropped(&s, 0, DROP_FORMAT);
		uint8_t plain[BODY_BYTES] = { 0 };

		stage_feed(&s, 0, FROM_MEMBER, datagram,
		    member_seal(
			member, PACKET_SESSION, 0, plain, size, datagram));
		assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), before + 1);
	}
	body.incarnation++;
	assert_senseless(&body, NULL, 0);
	body = good;
	body.heartbeat_us = 0;
	assert_senseless(&body, NULL, 0);
	body = good;
	body.ack += 1000; /* beyond all that was sent */
	assert_senseless(&body, NULL, 0);
	body = good;
	body.sack = UINT32_MAX;
	assert_senseless(&body, NULL, 0);
}

/* A member that announces one heartbeat an hour is soon missed all the same. */
CASE(heartbeat_interval_that_a_member_states_keeps_it_not_up_in_silence)
{
	struct body body = member_body(member, s.now);

	body.heartbeat_us = UINT32_MAX;
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_say(member, &body, NULL, 0, datagram));
	stage_run(&s, 5 * SEC);
	assert_false(node_peer_status(s.nodes[0], 0).up);
}

/* One frame, of whatever type and content. */
static void
assert_frame_senseless(uint8_t type, uint32_t sequence, size_t size)
{
	static const uint8_t zeros[PACKET_SEALED_MAX];
	struct body body = member_body(member, s.now);
	struct packet_frame f = { type, sequence, zeros, size };
	uint8_t frames[PACKET_SEALED_MAX];
	struct writer w = writer_of(frames, sizeof(frames));

	frame_encode(&w, &f);
	assert_false(w.failed);
	body.frames_count = 1;
	assert_senseless(&body, frames, w.size);
}

CASE(frames_without_sense_are_dropped)
{
	struct body body = member_body(member, s.now);

	assert_frame_senseless(0, 1, TAGGED_BYTES);
	assert_frame_senseless(3, 1, TAGGED_BYTES);
	assert_frame_senseless(FRAME_MESSAGE, 0, TAGGED_BYTES);
	assert_frame_senseless(FRAME_MESSAGE, 1000, TAGGED_BYTES - 1);
	assert_frame_senseless(FRAME_MESSAGE, 1000, TAGGED_BYTES + 1);
	assert_frame_senseless(FRAME_MESSAGE, 1000, TAGGED_BYTES_MAX + 4);
	assert_frame_senseless(FRAME_MESSAGE, 1000, 0);
	assert_frame_senseless(FRAME_BEACON, 1, BEACON_BYTES);
	assert_frame_senseless(FRAME_BEACON, 0, BEACON_BYTES - 1);
	assert_frame_senseless(FRAME_BEACON, 0, BEACON_BYTES + 1);
	/* More frames than there are, and fewer. */
	body.frames_count = 1;
	assert_senseless(&body, NULL, 0);
	body.frames_count = UINT16_MAX;
	assert_senseless(&body, NULL, 0);
	body.frames_count = 0;
	assert_senseless(&body, (const uint8_t *)"x", 1);
}

static void
assert_message_senseless(const struct message *message)
{
	struct body body = member_body(member, s.now);
	uint8_t frames[FRAME_BYTES + TAGGED_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	member_write_message(member, &w, message);
	body.frames_count = 1;
	assert_senseless(&body, frames, w.size);
}

/* The node takes each off the channel, and looks at the next one. */
CASE(messages_without_sense_are_dropped)
{
	const struct message good = { .term = stage_status(&s, 0).term + 1,
		.rank = {
		    .is_eligible = true, .is_contender = true, .id = 1 } };
	struct message m = good;

	m.kind = 3; /* the algorithm has no such kind */
	assert_message_senseless(&m);
	m.kind = MESSAGE_KINDS_MAX;
	assert_message_senseless(&m);
	m = good;
	m.rank.id = NODE_ID_MAX + 1;
	assert_message_senseless(&m);
	m = good;
	m.origin = NODE_ID_MAX + 1;
	assert_message_senseless(&m);
	m = good;
	m.reason.node = NODE_ID_MAX + 1;
	assert_message_senseless(&m);
	m = good;
	m.term = TERM_MAX / 2 + 1;
	assert_message_senseless(&m);
}

/* The message has a size that is allowed, and says that it has no list. */
CASE(message_with_more_behind_it_is_dropped)
{
	const struct message m = { .term = stage_status(&s, 0).term + 1,
		.rank = {
		    .is_eligible = true, .is_contender = true, .id = 1 } };
	struct body body = member_body(member, s.now);
	uint8_t bytes[TAGGED_BYTES + 4] = { 0 }, frames[PACKET_SEALED_MAX];
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct writer w = writer_of(frames, sizeof(frames));
	struct packet_frame f = { FRAME_MESSAGE, ++member->sequence, bytes,
		sizeof(bytes) };

	write_u32(&b, config_tag(&member->config_id));
	message_encode(&b, &m);
	assert_int_equal(b.size, TAGGED_BYTES);
	frame_encode(&w, &f);
	body.frames_count = 1;
	assert_senseless(&body, frames, w.size);
}

CASE(beacon_of_an_absurd_term_is_dropped)
{
	struct beacon beacon = { .term = UINT64_MAX,
		.leader = { .is_eligible = true,
		    .is_contender = true,
		    .priority = 9,
		    .id = 1 } };
	struct body body = member_body(member, s.now);
	uint8_t frames[FRAME_BYTES + BEACON_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	member_write_beacon(&w, &beacon);
	body.frames_count = 1;
	assert_senseless(&body, frames, w.size);
}

/*
 * A whole window of messages that arrive behind one datagram, each in a term of
 * its own and each a decision: the most that one input can do.
 */
static void
feed_full_window(void)
{
	uint64_t term = stage_status(&s, 0).term + 1;
	uint32_t first = member->sequence;

	for (uint32_t i = 32; i > 0; i--) {
		struct message m = { .kind = 2,
			.term = term + i,
			.rank = { .is_eligible = true,
			    .is_contender = true,
			    .id = 1 } };
		uint8_t frames[FRAME_BYTES + TAGGED_BYTES];
		struct writer w = writer_of(frames, sizeof(frames));

		member->sequence = first + i - 1;
		member_write_message(member, &w, &m);
		stage_beat(&s, 0, frames, w.size, 1);
	}
	member->sequence = first + 32;
	assert_int_equal(stage_status(&s, 0).term, term + 32);
	assert_int_equal(stage_status(&s, 0).leader, 1);
}

STAGE_CASE(window_full_of_elections_is_taken_at_once, NULL, &s)
{
	begin(PREFER_LOWEST);
	s.notices[NOTICE_ELECTION] = 0;
	s.notices[NOTICE_LEADER] = 0;
	feed_full_window();
	assert_int_equal(s.notices[NOTICE_ELECTION], 32);
	assert_int_equal(s.notices[NOTICE_LEADER], 32);
}

/* The member leads in the next term; its message says so, or its beacon. */
static void
feed_leader(bool by_sign)
{
	const struct rank self = {
		.is_eligible = true, .is_contender = true, .id = 1
	};
	struct message m = { .kind = 2, .term = 9, .rank = self };
	struct beacon beacon = {
		.term = 9, .leader = self, .incarnation = 1, .number = 1
	};
	uint8_t frames[FRAME_BYTES + BEACON_BYTES + TAGGED_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	if (by_sign)
		member_write_beacon(&w, &beacon);
	else
		member_write_message(member, &w, &m);
	stage_beat(&s, 0, frames, w.size, 1);
}

/* The leader's message may be late: then the log has no election after that
 * election's end. */
STAGE_CASE(election_that_was_overtaken_by_its_leader_is_not_reported, NULL, &s)
{
	for (int i = 0; i < 2; i++) {
		uint64_t elections;

		begin(PREFER_LOWEST);
		elections = node_counters(s.nodes[0])->elections;
		memset(s.notices, 0, sizeof(s.notices));
		feed_leader(i == 1);
		feed_leader(i == 0);
		assert_int_equal(stage_status(&s, 0).leader, 1);
		assert_int_equal(stage_status(&s, 0).term, 9);
		assert_int_equal(s.notices[NOTICE_LEADER], 1);
		assert_int_equal(s.notices[NOTICE_ELECTION], i == 0);
		assert_int_equal(s.notices[NOTICE_ELECTED], i == 0);
		assert_int_equal(
		    node_counters(s.nodes[0])->elections, elections + 1);
		if (i == 0)
			stage_strike(&s);
	}
}

/* A stopped node says goodbye, and then nothing, whatever comes in. */
CASE(stopped_node_is_silent)
{
	s.bytes_sent = 0;
	stage_stop(&s, 0);
	stage_run(&s, SEC); /* no node takes over from it */
	assert_true(s.bytes_sent > 0);
	assert_true(node_stopped(s.nodes[0]));
	s.bytes_sent = 0;
	stage_beat(&s, 0, NULL, 0, 0);
	stage_elect(&s, 0);
	stage_run(&s, 5 * SEC);
	node_tick(s.nodes[0], s.now);
	assert_int_equal(s.bytes_sent, 0);
	node_done(NULL);
}

/* This holds even where no time is set for it. */
STAGE_CASE(node_that_slept_listens_before_it_is_eligible_again, NULL, &s)
{
	stage_set(&s, 1);
	s.setups[0].timing.startup = 0;
	stage_start(&s);
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	s.now += 5 * SEC;
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	stage_run(&s, 0);
	assert_int_equal(stage_status(&s, 0).state, STATE_STARTING);
	stage_run(&s, 300 * MSEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_STARTING);
	stage_run(&s, 100 * MSEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}
