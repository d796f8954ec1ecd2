/* SPDX-License-Identifier: ISC */
/*
 * How nodes 2 and 3 and the member tell each other that they are on standby;
 * tests/lib/stage.h has more about them. What follows for the lead:
 * test_cluster_standby.c.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

#define MEMBER 1 /* the ids */
#define TWO    2
#define THREE  3

static struct stage s;
static struct member *member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

static const struct standby off = { .is_on = false };
static const struct standby upgrade = {
	.is_on = true, .left = NSEC_NEVER, .reason = "upgrade"
};

static int
enter(void **state)
{
	stage_set(&s, 2);
	*state = &s;
	return 0;
}

static int
enter_settled(void **state)
{
	enter(state);
	stage_begin(&s, 5 * SEC);
	return 0;
}

static void
set(unsigned node, const struct standby *standby)
{
	node_set_standby(s.nodes[node], s.now, standby);
	stage_perform(&s, node);
}

/* Node 2 is on standby for this reason, as this node knows; NULL: it is not. */
static void
assert_shown(unsigned node, const char *reason)
{
	const struct standby shown = node_standby(s.nodes[node], TWO);

	assert_int_equal(shown.is_on, reason != NULL);
	if (reason != NULL)
		assert_string_equal(shown.reason, reason);
}

#define CASE(name, enter) STAGE_CASE(name, enter, &s)

CASE(peers_are_told_at_once, enter_settled)
{
	assert_shown(1, NULL);
	set(0, &upgrade);
	stage_run(&s, 0);
	assert_shown(0, "upgrade");
	assert_shown(1, "upgrade");
	assert_int_equal(s.notices[NOTICE_STANDBY], 2);
	assert_true(s.last_notices[NOTICE_STANDBY].on);
	assert_int_equal(s.last_notices[NOTICE_STANDBY].peer, TWO);
	assert_int_equal(stage_status(&s, 0).eligibility, INELIGIBLE_STANDBY);
	set(0, &off);
	stage_run(&s, 0);
	assert_shown(0, NULL);
	assert_shown(1, NULL);
	assert_int_equal(s.notices[NOTICE_STANDBY], 4);
	assert_false(s.last_notices[NOTICE_STANDBY].on);
}

CASE(another_reason_takes_the_place_of_the_first, enter_settled)
{
	struct standby other = upgrade;

	set(0, &upgrade);
	stage_run(&s, 0);
	strcpy(other.reason, "disk");
	set(0, &other);
	stage_run(&s, 0);
	assert_shown(1, "disk");
	assert_int_equal(s.notices[NOTICE_STANDBY], 4);
	/* The same once more is news for nobody else. */
	set(0, &other);
	stage_run(&s, SEC);
	assert_int_equal(s.notices[NOTICE_STANDBY], 5);
}

CASE(time_is_told_and_ends_the_standby, enter_settled)
{
	struct standby hour = upgrade;
	struct standby shown;

	hour.left = 3600 * SEC;
	set(0, &hour);
	stage_run(&s, 0);
	shown = node_standby(s.nodes[1], TWO);
	assert_true(shown.left == 3600 * SEC);
	assert_true(shown.age == 0);
	stage_run(&s, 10 * SEC);
	shown = stage_status(&s, 0).standby;
	assert_true(shown.age == 10 * SEC);
	assert_true(shown.left == 3590 * SEC);
	assert_true(node_deadline(s.nodes[0]) <= s.now + SEC);
	hour.left = SEC;
	set(0, &hour);
	stage_run(&s, SEC - 1);
	assert_true(stage_status(&s, 0).standby.is_on);
	stage_run(&s, MSEC);
	assert_shown(0, NULL);
	assert_shown(1, NULL);
	assert_int_equal(stage_status(&s, 0).eligibility, ELIGIBLE);
}

/* What a check says is hidden meanwhile, and the node is not free for a moment
 * in between. */
CASE(order_comes_before_a_check, enter_settled)
{
	const struct standby sick = { .is_on = true,
		.cause = STANDBY_CHECK,
		.left = NSEC_NEVER,
		.reason = "sick" };
	const struct standby well = { .cause = STANDBY_CHECK };
	struct standby hour = upgrade, shown;

	set(0, &sick);
	stage_run(&s, 0);
	assert_shown(1, "sick");
	hour.left = 3600 * SEC;
	set(0, &hour);
	set(0, &well);
	stage_run(&s, 0);
	assert_shown(1, "upgrade");
	assert_int_equal(s.notices[NOTICE_STANDBY], 4);
	set(0, &sick);
	shown = node_status(s.nodes[0], s.now + 3600 * SEC).standby;
	assert_string_equal(shown.reason, "sick");
	stage_run(&s, 3600 * SEC);
	assert_shown(1, "sick");
	assert_int_equal(s.notices[NOTICE_STANDBY], 6);
	assert_true(stage_status(&s, 0).standby.age == 3600 * SEC);
	set(0, &off);
	stage_run(&s, 0);
	assert_shown(1, "sick");
	set(0, &well);
	stage_run(&s, 0);
	assert_shown(1, NULL);
	assert_int_equal(stage_status(&s, 0).eligibility, ELIGIBLE);
}

/* Node 3 leads, and resigns. */
CASE(peers_are_told_of_a_resignation, enter_settled)
{
	assert_int_equal(stage_resign(&s, 1, NODE_NONE), RESIGN_BEGUN);
	stage_run(&s, SEC);
	assert_string_equal(node_standby(s.nodes[0], THREE).reason, "resigned");
	assert_int_equal(stage_status(&s, 1).standby.cause, STANDBY_RESIGNED);
	set(1, &off);
	assert_true(stage_status(&s, 1).standby.is_on);
}

CASE(peers_are_told_why_a_leader_resigned, enter_settled)
{
	assert_int_equal(
	    node_resign(s.nodes[1], s.now, NODE_NONE, "the job hangs"),
	    RESIGN_BEGUN);
	stage_perform(&s, 1);
	stage_run(&s, SEC);
	assert_string_equal(
	    node_standby(s.nodes[0], THREE).reason, "the job hangs");
}

CASE(order_ends_a_resignation, enter_settled)
{
	assert_int_equal(stage_resign(&s, 1, NODE_NONE), RESIGN_BEGUN);
	stage_run(&s, SEC);
	set(1, &upgrade);
	assert_int_equal(stage_status(&s, 1).standby.cause, STANDBY_ORDER);
	set(1, &off);
	assert_false(stage_status(&s, 1).standby.is_on);
}

/* The host has kept the standby: peers know from the first datagram on. */
CASE(node_may_start_on_standby, enter)
{
	s.setups[0].standby = upgrade;
	s.setups[0].standby.age = 7 * SEC;
	stage_begin(&s, 5 * SEC);
	assert_shown(1, "upgrade");
	assert_true(node_standby(s.nodes[1], TWO).age >= 7 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, THREE);
	assert_int_equal(stage_status(&s, 0).eligibility, INELIGIBLE_STANDBY);
}

CASE(another_configuration_leaves_the_node_on_standby, enter_settled)
{
	set(0, &upgrade);
	s.setups[0].priority++;
	stage_change(&s, 0);
	assert_shown(0, "upgrade");
	s.setups[1].priority++;
	stage_change(&s, 1);
	assert_shown(1, "upgrade");
}

/* Peers see by the last word why a host is down. */
CASE(last_word_of_a_peer_stays_while_it_is_down, enter_settled)
{
	set(0, &upgrade);
	stage_run(&s, 0);
	s.is_cut = true;
	stage_run(&s, 5 * SEC);
	assert_false(node_peer_status(s.nodes[1], FROM_NODE).up);
	assert_shown(1, "upgrade");
	set(0, &off);
	stage_run(&s, 5 * SEC);
	assert_shown(1, "upgrade");
	s.is_cut = false;
	stage_run(&s, 5 * SEC);
	assert_shown(1, NULL);
}

/* Sends a heartbeat of the member with this standby. */
static void
member_tells(const uint8_t *bytes, size_t size)
{
	uint8_t frames[FRAME_BYTES + STANDBY_BYTES + 2 * STANDBY_REASON_MAX];
	struct writer w = writer_of(frames, sizeof(frames));
	const struct packet_frame f = { FRAME_STANDBY, 0, bytes, size };

	frame_encode(&w, &f);
	assert_false(w.failed);
	stage_beat(&s, 0, frames, w.size, 1);
}

static struct standby
member_shown(void)
{
	return node_standby(s.nodes[0], MEMBER);
}

CASE(peer_without_the_frame_is_on_standby_no_more, enter_settled)
{
	static const uint8_t bytes[] = { 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0,
		0, 0, 0, 'x' };

	member_tells(bytes, sizeof(bytes));
	assert_string_equal(member_shown().reason, "x");
	assert_true(member_shown().age == 9 * MSEC);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_false(member_shown().is_on);
}

/* The network may deliver the earlier datagram after the later one. */
CASE(late_datagram_changes_nothing, enter_settled)
{
	static const uint8_t bytes[STANDBY_BYTES] = { 0 };
	struct body body = member_body(member, s.now);
	uint8_t late[PACKET_MAX];
	size_t size = member_say(member, &body, NULL, 0, late);

	member_tells(bytes, sizeof(bytes));
	assert_true(member_shown().is_on);
	stage_feed(&s, 0, FROM_MEMBER, late, size);
	assert_true(member_shown().is_on);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_false(member_shown().is_on);
}

CASE(standby_without_sense_is_refused, enter_settled)
{
	static const uint8_t bytes[STANDBY_BYTES + STANDBY_REASON_MAX + 1] = {
		0
	};
	static const uint8_t control[STANDBY_BYTES + 1] = { [STANDBY_BYTES] =
								'\n' };
	uint64_t before = stage_dropped(&s, 0, DROP_FORMAT);

	member_tells(bytes, STANDBY_BYTES - 1);
	member_tells(bytes, sizeof(bytes));
	member_tells(control, sizeof(control));
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), before + 3);
	assert_false(member_shown().is_on);
}

/* Each datagram has it, and three rounds go also to a member that wants no
 * heartbeats: one of them may be lost. */
CASE(three_rounds_tell_every_peer, enter_settled)
{
	struct body body = member_body(member, s.now);

	body.watch = 0;
	s.is_beating = false;
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_say(member, &body, NULL, 0, datagram));
	member->standbys = 0;
	set(0, &upgrade);
	assert_int_equal(member->standbys, 1);
	for (int i = 0; i < 8; i++) {
		stage_run(&s, 100 * MSEC);
		stage_beat(&s, 1, NULL, 0, 0);
	}
	assert_int_equal(member->standbys, 4);
}

CASE(peers_are_told_of_an_older_file, enter_settled)
{
	assert_false(node_peer_status(s.nodes[1], FROM_NODE).has_older_file);
	node_set_file(s.nodes[0], s.now, true);
	stage_perform(&s, 0);
	stage_run(&s, 0);
	assert_true(node_peer_status(s.nodes[1], FROM_NODE).has_older_file);
	set(0, &upgrade);
	stage_run(&s, SEC);
	assert_true(node_peer_status(s.nodes[1], FROM_NODE).has_older_file);
	assert_shown(1, "upgrade");
	node_set_file(s.nodes[0], s.now, false);
	stage_perform(&s, 0);
	stage_run(&s, 0);
	assert_false(node_peer_status(s.nodes[1], FROM_NODE).has_older_file);
	assert_shown(1, "upgrade");
}

/* Sends a heartbeat of the member with this frame. */
static void
member_tells_of_file(uint8_t byte, size_t size)
{
	uint8_t bytes[2] = { byte }, frames[FRAME_BYTES + sizeof(bytes)];
	struct writer w = writer_of(frames, sizeof(frames));
	const struct packet_frame f = { FRAME_FILE, 0, bytes, size };

	frame_encode(&w, &f);
	stage_beat(&s, 0, frames, w.size, 1);
}

static bool
member_has_older_file(void)
{
	return node_peer_status(s.nodes[0], FROM_MEMBER).has_older_file;
}

CASE(word_of_a_file_without_sense_is_refused, enter)
{
	uint64_t before;

	stage_begin(&s, 5 * SEC);
	before = stage_dropped(&s, 0, DROP_FORMAT);
	member_tells_of_file(0, 1);
	member_tells_of_file(2, 1);
	member_tells_of_file(1, 0);
	member_tells_of_file(1, 2);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), before + 4);
	assert_false(member_has_older_file());
	member_tells_of_file(1, 1);
	assert_true(member_has_older_file());
	stage_beat(&s, 0, NULL, 0, 0);
	assert_false(member_has_older_file());
}
