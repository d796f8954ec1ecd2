/* SPDX-License-Identifier: ISC */
/*
 * What a node takes of a group (PROTOCOL.md, Group datagrams), and what it
 * refuses. Member 1 has a group key and tells it to node 2; node 3 does not
 * run.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

#define BEAT  (100 * MSEC)
#define PLACE 1 /* of node 2, in the order of ids */

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];
static const uint8_t document[] = "document";
static const struct config_id now = { .config_version = 3, .digest = "now" };
static const struct config_id late = { .config_version = 4, .digest = "late" };

static void
begin(void)
{
	stage_set(&s, 1);
	s.setups[0].has_group = true;
	s.setups[0].config_id = now;
	s.setups[0].document = document;
	s.setups[0].document_size = sizeof(document);
	member->config_id = now;
	member->exchanges = true;
	stage_begin(&s, 3 * SEC);
	s.is_beating = false;
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(node_peer_status(s.nodes[0], 0).up);
}

static int
enter(void **state)
{
	(void)state;
	begin();
	return 0;
}

static bool
is_up(void)
{
	return node_peer_status(s.nodes[0], 0).up;
}

static const struct node_counters *
counters(void)
{
	return node_counters(s.nodes[0]);
}

static void
tell_key(const uint8_t *key, uint64_t first)
{
	uint8_t frame[FRAME_BYTES + GROUP_KEY_BYTES];
	struct writer w = writer_of(frame, sizeof(frame));
	struct group_key told = { .first = first };

	memcpy(told.key, key, KEY_BYTES);
	member_write_group_key(&w, &told);
	stage_beat(&s, 0, frame, w.size, 1);
}

/* Brings a group datagram of the member's to the node. */
static void
bring(size_t size)
{
	stage_feed(&s, 0, FROM_GROUP, datagram, size);
}

static void
bring_body(const struct group_body *b, const uint8_t *frames, size_t size)
{
	bring(member_say_group(member, b, frames, size, datagram));
}

static void
bring_to(unsigned place)
{
	struct group_body b = member_group_body(member, s.now, place);

	bring_body(&b, NULL, 0);
}

/* The next group datagram of the member's is dropped so, and nothing of it is
 * taken. */
static void
assert_drops(enum drop drop, size_t size)
{
	uint64_t before = stage_dropped(&s, 0, drop);
	uint64_t received = counters()->received;

	bring(size);
	assert_int_equal(stage_dropped(&s, 0, drop), before + 1);
	assert_int_equal(counters()->received, received);
}

#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(group_datagram_counts_as_one_of_the_session)
{
	struct group_body b;
	uint64_t received;

	tell_key(member->group_key, member->group_number);
	received = counters()->received;
	bring_to(PLACE);
	assert_int_equal(counters()->received, received + 1);
	assert_true(is_up());
	/* Group datagrams keep the link up, by themselves. */
	for (unsigned i = 0; i < 20; i++) {
		stage_run(&s, BEAT);
		bring_to(PLACE);
		assert_true(is_up());
	}
	/* A datagram for another receiver does not count as one of the
	 * session. */
	received = counters()->received;
	bring_to(0);
	bring_to(2);
	bring_to(7);
	assert_int_equal(counters()->received, received);
	/* A datagram of a sender with another configuration does not count. */
	b = member_group_body(member, s.now, PLACE);
	b.config_tag = config_tag(&late);
	bring_body(&b, NULL, 0);
	assert_int_equal(counters()->received, received);
}

CASE(heard_tells_the_run)
{
	tell_key(member->group_key, member->group_number);
	for (unsigned i = 1; i <= 300; i++) {
		bring_to(i % 2 == 0 ? PLACE : 0);
		if (i != 5 && i != 300)
			continue;
		stage_beat(&s, 0, NULL, 0, 0);
		stage_run(&s, 2 * BEAT);
		assert_int_equal(member->group_heard.number, i);
		assert_int_equal(
		    member->group_heard.run, i < UINT8_MAX ? i : UINT8_MAX);
	}
	/* One is lost. */
	member->group_number++;
	bring_to(PLACE);
	stage_run(&s, 2 * BEAT);
	assert_int_equal(member->group_heard.number, 302);
	assert_int_equal(member->group_heard.run, 1);
	assert_int_equal(member->group_heard.word, 0x100 | WATCH_WANTED);
}

CASE(copy_is_dropped)
{
	struct group_body b;
	uint8_t early[PACKET_MAX];
	size_t size, early_size;

	tell_key(member->group_key, member->group_number);
	b = member_group_body(member, s.now, PLACE);
	early_size = member_say_group(member, &b, NULL, 0, early);
	size = member_say_group(member, &b, NULL, 0, datagram);
	bring(size);
	assert_drops(DROP_REPLAY, size);
	memcpy(datagram, early, early_size);
	assert_drops(DROP_REPLAY, early_size);
	/* The copy does not count as heard in a row. */
	stage_beat(&s, 0, NULL, 0, 0);
	stage_run(&s, 2 * BEAT);
	assert_int_equal(member->group_heard.number, 2);
	assert_int_equal(member->group_heard.run, 1);
}

CASE(late_datagram_is_dropped)
{
	struct group_body b;
	size_t size;

	tell_key(member->group_key, member->group_number);
	b = member_group_body(member, s.now, PLACE);
	size = member_say_group(member, &b, NULL, 0, datagram);
	s.is_beating = true;
	s.beat_at = s.now;
	stage_run(&s, 2 * SEC);
	assert_drops(DROP_LATE, size);
}

/* Timestamps repeat after 71 minutes. The member's datagrams of the session
 * come, but one of the group is held back until its timestamp looks like one
 * of now. */
CASE(datagram_of_a_key_that_was_not_told_anew_is_dropped)
{
	const nsec_t range = ((nsec_t)UINT32_MAX + 1) * USEC;
	struct group_body b;
	size_t size, again_size;
	uint8_t again[PACKET_MAX];

	tell_key(member->group_key, member->group_number);
	b = member_group_body(member, s.now, PLACE);
	size = member_say_group(member, &b, NULL, 0, datagram);
	again_size = member_say_group(member, &b, NULL, 0, again);
	s.is_beating = true;
	s.beat_at = s.now;
	/* The half of that: the timestamp seems to lie ahead. */
	stage_run(&s, range / 2 + SEC);
	tell_key(member->group_key, 1);
	assert_drops(DROP_LATE, size);
	/* All of it. */
	stage_run(&s, range / 2 - SEC);
	memcpy(datagram, again, again_size);
	assert_drops(DROP_LATE, again_size);
	/* Or the key is told anew, from a later number on. */
	tell_key(member->group_key, member->group_number);
	memcpy(datagram, again, again_size);
	assert_drops(DROP_REPLAY, again_size);
	bring_to(PLACE);
	assert_true(is_up());
}

/* By an address of somebody's, it is no group datagram; nor is one of a session
 * that comes by the group. */
CASE(type_and_way_belong_together)
{
	static const enum stage_from ways[] = { FROM_MEMBER, FROM_NODE,
		FROM_NOWHERE };
	struct group_body b;
	struct body body;
	uint64_t before;

	tell_key(member->group_key, member->group_number);
	before = stage_dropped(&s, 0, DROP_FOREIGN);
	b = member_group_body(member, s.now, PLACE);
	for (unsigned i = 0; i < 3; i++)
		stage_feed(&s, 0, ways[i], datagram,
		    member_say_group(member, &b, NULL, 0, datagram));
	body = member_body(member, s.now);
	stage_feed(&s, 0, FROM_GROUP, datagram,
	    member_say(member, &body, NULL, 0, datagram));
	stage_feed(&s, 0, FROM_GROUP, datagram, member_hello(member, datagram));
	assert_int_equal(stage_dropped(&s, 0, DROP_FOREIGN), before + 5);
}

/* The session with the sender ended: so did its key. */
CASE(key_ends_with_the_session)
{
	struct group_body b;
	size_t size;

	tell_key(member->group_key, member->group_number);
	bring_to(PLACE);
	b = member_group_body(member, s.now, PLACE);
	size = member_say_group(member, &b, NULL, 0, datagram);
	{
		uint8_t kept[PACKET_MAX];

		memcpy(kept, datagram, size);
		stage_join(&s, 0);
		memcpy(datagram, kept, size);
	}
	assert_drops(DROP_SESSION, size);
	/* With the key, but from a higher number on. */
	{
		uint8_t kept[PACKET_MAX];

		memcpy(kept, datagram, size);
		tell_key(member->group_key, member->group_number);
		memcpy(datagram, kept, size);
	}
	assert_drops(DROP_REPLAY, size);
}

CASE(later_key_replaces_an_earlier_one_only)
{
	uint8_t first[KEY_BYTES], second[KEY_BYTES];
	uint64_t received;

	memcpy(first, member->group_key, KEY_BYTES);
	memcpy(second, first, KEY_BYTES);
	second[1] ^= 1;
	tell_key(second, 10);
	tell_key(first, 9);
	tell_key(first, 10);
	received = counters()->received;
	memcpy(member->group_key, second, KEY_BYTES);
	member->group_number = 9;
	bring_to(PLACE);
	assert_int_equal(counters()->received, received);
	bring_to(PLACE);
	assert_int_equal(counters()->received, received + 1);
	/* The same key anew counts from a later number on. */
	tell_key(second, 100);
	tell_key(second, 50);
	received = counters()->received;
	member->group_number = 99;
	bring_to(PLACE);
	assert_int_equal(counters()->received, received);
	bring_to(PLACE);
	assert_int_equal(counters()->received, received + 1);
	/* Numbers may end. */
	tell_key(first, UINT64_MAX);
	memcpy(member->group_key, first, KEY_BYTES);
	member->group_number = UINT64_MAX;
	received = counters()->received;
	bring_to(PLACE);
	assert_int_equal(counters()->received, received + 1);
	member->group_number = 0;
	bring_to(PLACE);
	assert_int_equal(counters()->received, received + 1);
}

CASE(key_from_0_is_refused)
{
	uint64_t before = stage_dropped(&s, 0, DROP_FORMAT);

	tell_key(member->group_key, 0);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), before + 1);
	bring_to(PLACE);
	stage_run(&s, BEAT);
	assert_int_equal(member->group_heards, 0);
}

/* Bytes that the seal does not fit cost a look at them, and are counted. */
CASE(flood_without_the_key_is_counted_only)
{
	struct group_body b;
	uint64_t received, sent;
	unsigned heards;
	size_t size;

	tell_key(member->group_key, 1);
	stage_run(&s, BEAT / 2);
	stage_beat(&s, 0, NULL, 0, 0);
	received = counters()->received;
	sent = counters()->sent;
	heards = member->group_heards;
	b = member_group_body(member, s.now, PLACE);
	for (unsigned i = 0; i < 1000; i++) {
		size = member_say_group(member, &b, NULL, 0, datagram);
		datagram[i % 2 == 0 ? size - 1 : PACKET_CLEAR_BYTES] ^= 1;
		bring(size);
	}
	assert_int_equal(stage_dropped(&s, 0, DROP_SEAL), 1000);
	assert_int_equal(counters()->received, received);
	assert_int_equal(counters()->sent, sent);
	assert_int_equal(member->group_heards, heards);
	assert_int_equal(s.dropped_notices[0][DROP_SEAL], 0);
	/* The next good one is taken, whatever number the others had. */
	member->group_number = 1;
	bring_to(PLACE);
	assert_int_equal(counters()->received, received + 1);
}

/* The group may give back what the node sends: that is no second process. */
CASE(own_datagrams_are_counted_and_nothing_else)
{
	struct member self = *member;
	struct group_body b;
	uint64_t received = counters()->received;
	uint64_t dropped = counters()->dropped[DROP_SAME_ID];
	unsigned notices = s.notices[NOTICE_DROPPED];

	self.id = 2;
	b = member_group_body(&self, s.now, 0);
	bring(member_say_group(&self, &b, NULL, 0, datagram));
	assert_int_equal(counters()->dropped[DROP_SAME_ID], dropped + 1);
	assert_int_equal(counters()->received, received);
	assert_int_equal(s.notices[NOTICE_DROPPED], notices);
}

/* What is out of range is dropped as a whole. */
CASE(body_out_of_range_is_refused)
{
	struct group_body b;
	uint8_t plain[PACKET_SEALED_MAX];
	struct writer w = writer_of(plain, sizeof(plain));

	tell_key(member->group_key, 1);
	b = member_group_body(member, s.now, PLACE);
	group_body_encode(&w, &b);
	/* Any part of it. */
	for (size_t size = 0; size < w.size; size++)
		assert_drops(DROP_FORMAT,
		    member_seal_group(member, 0, plain, size, datagram));
	/* Echoes of fewer than the set has, or a set that is too large. */
	plain[GROUP_BODY_BYTES] = 0xff;
	assert_drops(
	    DROP_FORMAT, member_seal_group(member, 0, plain, w.size, datagram));
	plain[GROUP_BODY_BYTES - 1] = NODES_MAX / 8 + 1;
	assert_drops(DROP_FORMAT,
	    member_seal_group(member, 0, plain, sizeof(plain), datagram));
	/* Flags for one. */
	plain[GROUP_BODY_BYTES - 1] = 1;
	plain[GROUP_BODY_BYTES] = 1 << PLACE;
	plain[8] = BODY_HEARD;
	assert_drops(
	    DROP_FORMAT, member_seal_group(member, 0, plain, w.size, datagram));
	plain[8] = 0;
	plain[9] = WATCH_WANTED;
	assert_drops(
	    DROP_FORMAT, member_seal_group(member, 0, plain, w.size, datagram));
	/* A ping, which each receiver would answer. */
	plain[9] = 0;
	assert_drops(DROP_FORMAT,
	    member_seal_group(member, PACKET_PING, plain, w.size, datagram));
	/* An empty set is a question. */
	b.places_size = 0;
	bring_body(&b, NULL, 0);
	stage_run(&s, BEAT);
	assert_true(member->group_heards > 0);
}

static void
bring_frame(
    enum frame_type type, uint32_t sequence, const uint8_t *bytes, size_t size)
{
	uint8_t frames[PACKET_SEALED_MAX];
	struct writer w = writer_of(frames, sizeof(frames));
	struct packet_frame f = { (uint8_t)type, sequence, bytes, size };
	struct group_body b = member_group_body(member, s.now, PLACE);

	b.frames_count = 1;
	frame_encode(&w, &f);
	bring_body(&b, frames, w.size);
}

/* Only what may be for all belongs there. */
CASE(frames_of_a_session_are_refused)
{
	static const uint8_t zeros[PACKET_SEALED_MAX / 2];
	static const size_t sizes[] = { 0, 1, 8, 11, TAGGED_BYTES };
	struct group_body b;

	tell_key(member->group_key, 1);
	for (unsigned type = 0; type <= UINT8_MAX; type++) {
		for (unsigned i = 0; i < 5; i++) {
			uint64_t before = stage_dropped(&s, 0, DROP_FORMAT);

			/* Zeros are a lease left, or an empty list. */
			if ((type == FRAME_LEASE_LEFT && sizes[i] == 8) ||
			    (type == FRAME_MEMBERS && sizes[i] > 1))
				continue;
			bring_frame((enum frame_type)type,
			    type == FRAME_MESSAGE, zeros, sizes[i]);
			assert_int_equal(
			    stage_dropped(&s, 0, DROP_FORMAT), before + 1);
		}
	}
	/* Bytes beyond the frames; frames that are not there. */
	b = member_group_body(member, s.now, PLACE);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t before = stage_dropped(&s, 0, DROP_FORMAT);

		b.frames_count = (uint16_t)i;
		bring_body(&b, zeros, 1 - i);
		assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), before + 1);
	}
	assert_true(is_up());
}

/* Writes a message to several of which node 2 is the first, and brings it. */
static void
bring_several(uint16_t number, size_t size)
{
	uint8_t bytes[PACKET_SEALED_MAX / 2];
	struct writer w = writer_of(bytes, sizeof(bytes));
	const struct message m = {
		.kind = 0, .term = 1, .rank = { .id = 1 }, .origin = 1
	};

	write_u16(&w, number);
	write_u32(&w, config_tag(&member->config_id));
	message_encode(&w, &m);
	bring_frame(FRAME_SEVERAL, 0, bytes, size == 0 ? w.size : size);
}

static uint32_t
acknowledged(void)
{
	stage_beat(&s, 0, NULL, 0, 0);
	stage_run(&s, BEAT + BEAT / 10);
	return member->heard.ack;
}

/* The message bears the number that it has in the session. */
CASE(message_to_several_is_one_of_the_session)
{
	uint64_t before;

	tell_key(member->group_key, 1);
	bring_several(2, 0);
	assert_int_equal(acknowledged(), 0);
	bring_several(0, 0);
	bring_several(34, 0);
	bring_several(UINT16_MAX, 0);
	assert_int_equal(acknowledged(), 0);
	assert_int_equal(member->heard.sack, 2);
	bring_several(1, 0);
	assert_int_equal(acknowledged(), 2);
	bring_several(1, 0);
	assert_int_equal(acknowledged(), 2);
	before = stage_dropped(&s, 0, DROP_FORMAT);
	for (size_t size = 1; size <= 6; size++)
		bring_several(3, size);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), before + 6);
	assert_int_equal(acknowledged(), 2);
}

#define ALONE(name) STAGE_CASE(name, NULL, &s)
