/* SPDX-License-Identifier: ISC */
/*
 * What a node sends to a group (PROTOCOL.md, Group datagrams): who is told the
 * key, and who counts as hearing it. Node 2 leads; member 1 follows; node 3
 * does not run.
 */
#include "common/quorum/voter.h"
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

#define BEAT (100 * MSEC)
#define RUN  16 /* group datagrams in a row: the member hears the node */

static struct stage s;
static struct member *const member = &s.members[0];
static const uint8_t document[] = "document";
static const struct config_id now = { .config_version = 3, .digest = "now" };
static const struct config_id late = { .config_version = 4, .digest = "late" };

static void
begin_with(bool has_group, bool exchanges)
{
	s.setups[0].has_group = has_group;
	s.setups[0].config_id = now;
	if (exchanges) {
		s.setups[0].document = document;
		s.setups[0].document_size = sizeof(document);
	}
	member->config_id = now;
	member->exchanges = exchanges;
	stage_begin(&s, 3 * SEC);
	s.is_beating = false;
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

static void
begin(bool has_group, bool exchanges)
{
	stage_set(&s, 1);
	begin_with(has_group, exchanges);
}

/* Node 2 is the only voter. */
static int
enter_quorum(void **state)
{
	static const struct peer_setup peers[] = {
		{ .id = 1, .role = ROLE_OBSERVER },
		{ .id = 3, .role = ROLE_OBSERVER },
	};

	(void)state;
	stage_set(&s, 1);
	s.setups[0].peers = peers;
	s.setups[0].guarantee = GUARANTEE_QUORUM;
	s.setups[0].timing.lease = SEC;
	begin_with(true, true);
	return 0;
}

static int
enter(void **state)
{
	(void)state;
	begin(true, true);
	return 0;
}

/* The node takes the member for one that hears the group. */
static bool
is_reached(void)
{
	return node_peer_status(s.nodes[0], 0).by_group;
}

static const struct node_counters *
counters(void)
{
	return node_counters(s.nodes[0]);
}

static unsigned
word_of(const struct body *b)
{
	unsigned flags = BODY_HEARD | BODY_DUPLICATE | BODY_TAKES_RIGHT |
			 BODY_TAKES_LEFT | BODY_BYPASSED;

	return (b->watch & (WATCH_WANTED | WATCH_GRANTED)) |
	       (unsigned)b->restarts << 2U | (b->flags & flags) << 8U;
}

static void
tell_heard_word(uint64_t number, unsigned run, unsigned word)
{
	uint8_t frame[FRAME_BYTES + GROUP_HEARD_BYTES];
	struct writer w = writer_of(frame, sizeof(frame));
	const struct group_heard heard = { number, (uint8_t)run,
		(uint16_t)word };

	member_write_group_heard(&w, &heard);
	stage_beat(&s, 0, frame, w.size, 1);
}

static void
tell_heard(uint64_t number, unsigned run)
{
	tell_heard_word(number, run, word_of(&member->heard));
}

/* The member beats, and hears the group, until the node knows. */
static void
hear(void)
{
	tell_heard(member->their_group.first - 1, 0);
	for (unsigned i = 0; i < RUN; i++) {
		stage_run(&s, BEAT + BEAT / 10);
		tell_heard(member->their_group_number, i + 1);
	}
	assert_true(is_reached());
}

#define ALONE(name) STAGE_CASE(name, NULL, &s)
#define CASE(name)  STAGE_CASE(name, enter, &s)

CASE(key_is_told_until_it_is_answered)
{
	unsigned before = member->group_keys;

	assert_true(before > 0);
	assert_true(stage_status(&s, 0).group.is_on);
	stage_beat(&s, 0, NULL, 0, 0);
	stage_run(&s, 2 * BEAT);
	assert_true(member->group_keys > before);
	tell_heard(member->their_group.first - 1, 0);
	before = member->group_keys;
	for (unsigned i = 0; i < 5; i++) {
		stage_run(&s, BEAT);
		stage_beat(&s, 0, NULL, 0, 0);
	}
	assert_int_equal(member->group_keys, before);
	assert_false(is_reached());
}

static void
member_is_told_no_key(bool has_group, bool exchanges)
{
	begin(has_group, exchanges);
	stage_run(&s, 2 * BEAT);
	assert_int_equal(member->group_keys, 0);
	assert_int_equal(member->groups, 0);
	assert_int_equal(
	    stage_status(&s, 0).group.is_on, has_group && exchanges);
}

/* A node whose settings are in its file alone tells no key. */
ALONE(key_needs_a_group_and_configurations)
{
	member_is_told_no_key(false, true);
	stage_strike(&s);
	member_is_told_no_key(true, false);
}

CASE(peer_counts_as_hearing_after_16_in_a_row)
{
	unsigned heartbeats, groups;

	tell_heard(member->their_group.first - 1, 0);
	for (unsigned i = 1; i <= RUN; i++) {
		assert_false(is_reached());
		stage_run(&s, BEAT + BEAT / 10);
		tell_heard(member->their_group_number, i);
	}
	assert_true(is_reached());
	/* The peer gets the beats of the group, and none of its own. */
	stage_run(&s, BEAT / 2);
	heartbeats = (unsigned)counters()->heartbeats;
	groups = member->groups_for_us;
	for (unsigned i = 0; i < 10; i++) {
		stage_run(&s, BEAT);
		tell_heard(member->their_group_number, RUN + i);
	}
	assert_in_range(member->groups_for_us - groups, 9, 11);
	assert_int_equal(counters()->heartbeats - heartbeats,
	    member->groups_for_us - groups);
}

CASE(one_missed_group_datagram_ends_multicast)
{
	hear();
	stage_run(&s, BEAT);
	tell_heard(member->their_group_number, 1);
	assert_false(is_reached());
	/* The node tells the peer by the session again. */
	stage_run(&s, BEAT / 2);
	member->heard.timestamp = 0;
	stage_run(&s, BEAT + BEAT / 10);
	assert_int_not_equal(member->heard.timestamp, 0);
}

/* Datagrams of the session overtake each other: the member said earlier that it
 * has all. */
CASE(gap_that_came_first_counts)
{
	uint8_t frame[FRAME_BYTES + GROUP_HEARD_BYTES], early[PACKET_MAX];
	struct writer w = writer_of(frame, sizeof(frame));
	struct group_heard heard;
	struct body body;
	size_t size;

	hear();
	heard.number = member->their_group_number;
	heard.run = RUN;
	heard.word = (uint16_t)word_of(&member->heard);
	member_write_group_heard(&w, &heard);
	body = member_body(member, s.now);
	body.frames_count = 1;
	size = member_say(member, &body, frame, w.size, early);
	stage_run(&s, BEAT);
	tell_heard(member->their_group_number, 1);
	stage_feed(&s, 0, FROM_MEMBER, early, size);
	assert_false(is_reached());
}

/* One may be on its way, or the word of it. */
CASE(falling_behind_ends_it)
{
	uint64_t taken;

	hear();
	taken = member->their_group_number;
	while (member->their_group_number < taken + 1)
		stage_run(&s, BEAT / 10);
	tell_heard(taken, UINT8_MAX);
	assert_true(is_reached());
	while (member->their_group_number < taken + 2)
		stage_run(&s, BEAT / 10);
	tell_heard(taken, UINT8_MAX);
	assert_false(is_reached());
	tell_heard(member->their_group_number, UINT8_MAX);
	assert_true(is_reached());
}

CASE(session_that_ends_ends_it)
{
	hear();
	stage_join(&s, 0);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_false(is_reached());
}

/* The peer's order of ids may be another. */
CASE(peer_of_another_configuration_is_no_receiver)
{
	unsigned before;

	hear();
	member->config_id = late;
	before = member->groups_for_us;
	for (unsigned i = 0; i < 3; i++) {
		tell_heard(member->their_group_number, RUN);
		assert_false(is_reached());
		stage_run(&s, BEAT);
	}
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_int_equal(member->groups_for_us, before);
	member->config_id = now;
	tell_heard(member->their_group_number, RUN);
	assert_true(is_reached());
}

/* Another member that has the key spoke for the node, so the member drops what
 * the node sends to the group: it must get datagrams of its own. */
CASE(heard_of_the_future_or_of_an_earlier_key_is_none)
{
	uint64_t next;

	tell_heard(UINT64_MAX, UINT8_MAX);
	assert_false(is_reached());
	for (unsigned i = 0; i < 2; i++) {
		hear();
		next = member->their_group_number + 1;
		tell_heard(i == 0 ? next : UINT64_MAX, UINT8_MAX);
		assert_false(is_reached());
	}
	hear();
	next = member->their_group_number + 1;
	stage_change(&s, 0);
	assert_false(is_reached());
	tell_heard(next - 1, UINT8_MAX);
	assert_false(is_reached());
}

/* What the group was told before then counts no more for the member. */
CASE(key_is_told_anew_now_and_then)
{
	unsigned keys;
	uint64_t number;

	hear();
	keys = member->group_keys;
	number = member->their_group_number;
	s.is_beating = true;
	s.beat_at = s.now;
	stage_run(&s, 290 * SEC);
	assert_int_equal(member->group_keys, keys);
	stage_run(&s, 11 * SEC);
	assert_int_equal(member->group_keys, keys + 1);
	assert_true(member->their_group.first > number);
	stage_run(&s, 600 * SEC);
	assert_int_equal(member->group_keys, keys + 3);
}

/* The member's last word on the earlier key crosses the news of the next. */
CASE(next_key_is_told_though_the_last_was_heard)
{
	struct group_key before;
	unsigned keys;

	hear();
	before = member->their_group;
	stage_change(&s, 0);
	tell_heard(member->their_group_number, RUN);
	assert_false(is_reached());
	keys = member->group_keys;
	stage_run(&s, 2 * BEAT);
	assert_true(member->group_keys > keys);
	assert_memory_not_equal(before.key, member->their_group.key, KEY_BYTES);
	assert_true(member->their_group.first > before.first);
}

/* Two changes, and no group datagram in between: each key counts from a higher
 * number, or a peer would take the second for the first one that came late. */
CASE(each_key_has_a_higher_first_number)
{
	uint64_t first = member->their_group.first;

	for (unsigned i = 0; i < 2; i++) {
		stage_change(&s, 0);
		stage_beat(&s, 0, NULL, 0, 0);
		stage_run(&s, 2 * BEAT);
		assert_true(member->their_group.first > first);
		first = member->their_group.first;
	}
}

/* What the node said to the group before the session is not for it. */
CASE(key_counts_from_the_session_on)
{
	uint64_t last;

	hear();
	last = member->their_group_number;
	member->group_keys = 0;
	stage_join(&s, 0);
	stage_run(&s, 2 * BEAT);
	assert_true(member->group_keys > 0);
	assert_true(member->their_group.first > last);
}

/* A message to one peer is no sign that it does not hear the group. */
CASE(message_to_one_goes_by_the_session)
{
	uint32_t ack;

	hear();
	ack = member->ack;
	stage_elect(&s, 0);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(member->ack > ack);
	assert_int_equal(member->severals, 0);
	assert_true(is_reached());
}

/* The member's clock may be slow, and the node's fast: then the echo, which
 * is moved on by the time since the node took the timestamp, is ahead of the
 * member's clock. The lease left is shorter by what that may be. How long
 * ago the datagram came, by another clock, does not count. */
STAGE_CASE(
    lease_left_is_less_the_longer_the_timestamp_was_held, enter_quorum, &s)
{
	uint32_t first = 0, longest = 0;

	hear();
	for (nsec_t wait = 0; wait < 2 * BEAT; wait += BEAT / 4) {
		unsigned before;
		uint32_t timestamp, held, whole, left;

		stage_run(&s, wait);
		before = member->groups_for_us;
		s.age = wait / 2;
		stage_beat(&s, 0, NULL, 0, 0);
		s.age = 0;
		timestamp = (uint32_t)(s.now / USEC);
		while (member->groups_for_us == before)
			stage_run(&s, MSEC);
		held = member->group_echo - timestamp;
		left = member->group_left.valid_us;
		whole = left + held * (DRIFT_FAST - DRIFT_SLOW) / DRIFT_SLOW;
		if (first == 0)
			first = whole;
		assert_in_range(whole, first - 2, first + 2);
		longest = held > longest ? held : longest;
	}
	assert_true(longest > BEAT / 2 / USEC);
}

/* The bits for one alone are those that the session told last. If the peer has
 * others than the node would tell it, the node tells it again. */
CASE(old_word_is_told_again)
{
	hear();
	stage_run(&s, BEAT / 2);
	s.now += 1 * MSEC;
	member->heard.timestamp = 0;
	tell_heard(member->their_group_number, RUN);
	assert_int_equal(member->heard.timestamp, 0);
	tell_heard_word(member->their_group_number, RUN,
	    word_of(&member->heard) ^ BODY_HEARD << 8U);
	assert_int_not_equal(member->heard.timestamp, 0);
	/* We speak at once to a peer that ceases to hear it; then its words do
	 * not matter, as it gets heartbeats of its own. */
	member->heard.timestamp = 0;
	tell_heard_word(member->their_group_number, 1, 0);
	assert_int_not_equal(member->heard.timestamp, 0);
	member->heard.timestamp = 0;
	tell_heard_word(member->their_group_number, 1, 0);
	assert_int_equal(member->heard.timestamp, 0);
}
