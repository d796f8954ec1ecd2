/* SPDX-License-Identifier: ISC */
/*
 * Reports of messages sent as they come to a leader: what it counts, when it
 * tells, and what a hostile member cannot make of it.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

#define REPORTS_HELD 25 /* of two peers: as many as fill a quarter of a pool */

static struct stage s;
static struct member *const member = &s.members[0];

/* A leader, node 2, whose link to member 1 is up, and which has counted. */
static int
enter(void **state)
{
	(void)state;
	stage_set(&s, 1);
	stage_begin(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	memset(s.notices, 0, sizeof(s.notices));
	return 0;
}

static struct cost_report
report_of(node_id node, uint32_t sent)
{
	return (struct cost_report){
		.term = stage_status(&s, 0).term,
		.node = node,
		.is_starter = true,
		.sent = { sent },
	};
}

/* The member sends any bytes as the next of its messages. */
static void
send_bytes(const uint8_t *bytes, size_t size)
{
	struct packet_frame f = { FRAME_MESSAGE, ++member->sequence, bytes,
		size };
	uint8_t frames[PACKET_SEALED_MAX];
	struct writer w = writer_of(frames, sizeof(frames));

	frame_encode(&w, &f);
	assert_false(w.failed);
	stage_beat(&s, 0, frames, w.size, 1);
}

static void
send_report(const struct cost_report *r)
{
	uint8_t bytes[COST_REPORT_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));

	cost_report_encode(&w, r);
	send_bytes(bytes, w.size);
}

static struct costs_sum
sum(void)
{
	const struct costs *costs =
	    node_counted(s.nodes[0], stage_status(&s, 0).term);

	assert_non_null(costs);
	return costs_sum(costs);
}

static void
assert_not_counted(const struct cost_report *r)
{
	struct costs_sum before = sum(), after;

	send_report(r);
	after = sum();
	assert_memory_equal(&before, &after, sizeof(before));
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

static void
a_report_is_counted_and_told_once_no_more_come(void **state)
{
	struct costs_sum before = sum(), after;
	struct cost_report r = report_of(1, 5);

	(void)state;
	send_report(&r);
	after = sum();
	assert_int_equal(after.nodes, before.nodes + 1);
	assert_int_equal(after.starters, before.starters + 1);
	assert_int_equal(after.sent[0], before.sent[0] + 5);
	assert_int_equal(s.notices[NOTICE_COUNTED], 0);
	stage_run(&s, SEC);
	assert_int_equal(s.notices[NOTICE_COUNTED], 1);
	send_report(&r);
	stage_run(&s, SEC);
	assert_int_equal(s.notices[NOTICE_COUNTED], 1);
}

static void
a_report_of_another_term_is_not_counted(void **state)
{
	struct cost_report old = report_of(1, 5), new = report_of(1, 5);

	(void)state;
	old.term--;
	new.term++;
	if (old.term > 0)
		assert_not_counted(&old);
	assert_not_counted(&new);
	new.term = TERM_MAX;
	assert_not_counted(&new);
	assert_null(node_counted(s.nodes[0], TERM_MAX));
	assert_null(node_counted(s.nodes[0], 0));
}

/* It goes in a circle. */
static void
a_report_that_went_too_far_is_not_counted(void **state)
{
	struct cost_report r = report_of(1, 5);

	(void)state;
	r.hops = NODES_MAX;
	assert_not_counted(&r);
}

static void
member_that_invents_nodes_fills_its_table_and_no_more(void **state)
{
	const struct costs *costs;

	(void)state;
	for (node_id id = 100; id < 400; id++) {
		struct cost_report r = report_of(id, UINT32_MAX);

		send_report(&r);
	}
	costs = node_counted(s.nodes[0], stage_status(&s, 0).term);
	assert_int_equal(costs->count, costs->capacity);
	assert_true(costs->capacity < 300);
	stage_run(&s, SEC);
	assert_int_equal(s.notices[NOTICE_COUNTED], 1);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

static void
frame_that_is_no_report_is_dropped_as_senseless(void **state)
{
	uint8_t bytes[COST_REPORT_BYTES + 1] = { COST_REPORT_MARK };
	struct costs_sum before = sum(), after;
	uint64_t dropped = stage_dropped(&s, 0, DROP_FORMAT);

	(void)state;
	send_bytes(bytes, COST_REPORT_BYTES);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), dropped + 1);
	send_bytes(bytes, MESSAGE_BYTES);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), dropped + 2);
	memset(bytes + 1, 1, COST_REPORT_BYTES);
	send_bytes(bytes, COST_REPORT_BYTES + 1);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), dropped + 3);
	after = sum();
	assert_memory_equal(&before, &after, sizeof(before));
}

/* Two bytes, so that it has the size of a message with a list. */
static void
a_report_with_more_behind_it_is_dropped(void **state)
{
	uint8_t bytes[COST_REPORT_BYTES + 2] = { 0 };
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct cost_report r = report_of(1, 5);
	struct costs_sum before = sum(), after;

	(void)state;
	assert_int_equal((sizeof(bytes) - MESSAGE_BYTES) % 4, 0);
	cost_report_encode(&w, &r);
	send_bytes(bytes, sizeof(bytes));
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 1);
	after = sum();
	assert_memory_equal(&before, &after, sizeof(before));
}

/*
 * The member is elected in this term, and acknowledges nothing: so what the
 * node reports to it stays in the node's hands.
 */
static void
win_and_acknowledge_nothing(uint64_t term)
{
	struct message coordinator = { .kind = 2,
		.term = term,
		.rank = {
		    .is_eligible = true, .is_contender = true, .id = 1 } };
	struct body body = member_body(member, s.now);
	uint8_t frames[FRAME_BYTES + MESSAGE_BYTES], datagram[PACKET_MAX];
	struct writer w = writer_of(frames, sizeof(frames));

	member_write_message(member, &w, &coordinator);
	body.ack = 0;
	body.frames_count = 1;
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_say(member, &body, frames, w.size, datagram));
}

/* Else the channel would be full of them, and its session be lost. */
static void
reports_to_a_leader_that_takes_none_are_given_up(void **state)
{
	const uint64_t terms = 4 * REPORTS_HELD;

	(void)state;
	stage_strike(&s);
	stage_set(&s, 1);
	s.setups[0].prefer = PREFER_LOWEST;
	stage_start(&s);
	stage_run(&s, 0);
	stage_join(&s, 0);
	for (uint64_t term = 9; term < 9 + terms; term++) {
		win_and_acknowledge_nothing(term);
		stage_run(&s, 110 * MSEC);
	}
	assert_int_equal(stage_status(&s, 0).leader, 1);
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 0);
	for (unsigned i = 0; i < 20; i++)
		stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(member->ack, REPORTS_HELD);
}

#define CASE(name) STAGE_CASE(name, enter, &s)

static const struct CMUnitTest tests[] = {
	CASE(a_report_is_counted_and_told_once_no_more_come),
	CASE(a_report_of_another_term_is_not_counted),
	CASE(a_report_that_went_too_far_is_not_counted),
	CASE(member_that_invents_nodes_fills_its_table_and_no_more),
	CASE(frame_that_is_no_report_is_dropped_as_senseless),
	CASE(a_report_with_more_behind_it_is_dropped),
	CASE(reports_to_a_leader_that_takes_none_are_given_up),
};

GROUP(tests);
