/* SPDX-License-Identifier: ISC */
/*
 * Cost reports as they come to a leader: what it counts, when it reports, and
 * what a hostile member cannot do with them.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

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

/* The member sends any bytes as a report. */
static void
send_bytes(const uint8_t *bytes, size_t size)
{
	struct packet_frame f = { FRAME_REPORT, 0, bytes, size };
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
costs_are_reported_once_no_more_reports_come(void **state)
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
	uint8_t bytes[COST_REPORT_BYTES + 1] = { 0 };
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct cost_report r = report_of(1, 5);
	struct costs_sum before = sum(), after;

	(void)state;
	send_bytes(bytes, COST_REPORT_BYTES);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 1);
	cost_report_encode(&w, &r);
	send_bytes(bytes, COST_REPORT_BYTES - 1);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 2);
	send_bytes(bytes, COST_REPORT_BYTES + 1);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 3);
	after = sum();
	assert_memory_equal(&before, &after, sizeof(before));
}

/* The member wins the election of this term. */
static void
win(uint64_t term)
{
	struct message coordinator = { .kind = 2,
		.term = term,
		.rank = {
		    .is_eligible = true, .is_contender = true, .id = 1 } };
	uint8_t frames[FRAME_BYTES + TAGGED_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	member_write_message(member, &w, &coordinator);
	stage_beat(&s, 0, frames, w.size, 1);
	assert_int_equal(stage_status(&s, 0).leader, 1);
}

/* The member leads for so many heartbeats. */
static void
lead_on(unsigned heartbeats)
{
	static uint64_t number;

	for (unsigned i = 0; i < heartbeats; i++) {
		struct beacon beacon = { .term = stage_status(&s, 0).term,
			.leader = { .is_eligible = true,
			    .is_contender = true,
			    .id = 1 },
			.incarnation = member->incarnation,
			.number = ++number };
		uint8_t frames[FRAME_BYTES + BEACON_BYTES];
		struct writer w = writer_of(frames, sizeof(frames));

		member_write_beacon(&w, &beacon);
		stage_beat(&s, 0, frames, w.size, 1);
		stage_run(&s, s.setups[0].timing.heartbeat);
		assert_int_equal(stage_status(&s, 0).leader, 1);
	}
}

/* The node follows the member. */
static int
begin_led(void)
{
	stage_start(&s);
	stage_run(&s, 0);
	stage_join(&s, 0);
	s.is_beating = false;
	win(9);
	return 0;
}

static int
enter_led(void **state)
{
	(void)state;
	stage_set(&s, 1);
	s.setups[0].prefer = PREFER_LOWEST;
	return begin_led();
}

/* The same, but the node is the better one. */
static int
enter_led_by_worse(void **state)
{
	(void)state;
	stage_set(&s, 1);
	s.setups[0].preempt = PREEMPT_NEVER;
	return begin_led();
}

/* Some may be lost, so several rounds carry each. */
static void
a_report_goes_to_the_leader_with_some_rounds(void **state)
{
	unsigned heard;

	(void)state;
	lead_on(20);
	heard = member->reports;
	assert_true(heard >= 5);
	assert_int_equal(member->report.term, 9);
	assert_int_equal(member->report.node, 2);
	lead_on(20);
	assert_int_equal(member->reports, heard);
	win(10);
	lead_on(2);
	assert_true(member->reports > heard);
	assert_int_equal(member->report.term, 10);
}

/* A report of another node goes on to the leader without waiting for the next
 * round. One that the node knows goes nowhere. */
static void
a_report_is_handed_on_at_once_if_it_is_news(void **state)
{
	struct cost_report r = report_of(77, 5);
	unsigned heard;

	(void)state;
	lead_on(20);
	heard = member->reports;
	send_report(&r);
	assert_true(member->reports > heard);
	assert_int_equal(member->report.node, 77);
	assert_int_equal(member->report.sent[0], 5);
	lead_on(20);
	heard = member->reports;
	send_report(&r);
	lead_on(20);
	assert_int_equal(member->reports, heard);
}

static void
invent_nodes(node_id first)
{
	for (node_id id = first; id < first + 50; id++) {
		struct cost_report r = report_of(id, 1);

		send_report(&r);
	}
}

/* It followed the member before, but the member need not know reports now. */
static void
a_leader_hands_no_report_on(void **state)
{
	struct cost_report r;

	(void)state;
	lead_on(20);
	stage_elect(&s, 0);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	s.is_beating = true;
	stage_run(&s, SEC);
	r = report_of(77, 5);
	s.bytes_sent = 0;
	send_report(&r);
	assert_int_equal(s.bytes_sent, 0);
	assert_int_equal(sum().nodes, 2);
}

/* Of so many nodes the reports of only some fit one datagram. */
static void
each_report_goes_out_even_if_some_only_fit(void **state)
{
	(void)state;
	invent_nodes(100);
	invent_nodes(200);
	lead_on(60);
	for (node_id id = 100; id < 150; id++)
		assert_true(peer_set_has(&member->reported, id));
	for (node_id id = 200; id < 213; id++)
		assert_true(peer_set_has(&member->reported, id));
	member->reported = (struct peer_set){ { 0 } };
	lead_on(20);
	assert_int_equal(peer_set_next(&member->reported, 0), NODES_MAX);
}

/* The member invents so many nodes that their reports do not fit one
 * datagram. */
static void
more_reports_than_fit_go_out_after_messages_and_in_turn(void **state)
{
	unsigned acknowledged;

	(void)state;
	invent_nodes(100);
	acknowledged = member->ack;
	stage_elect(&s, 0);
	assert_true(member->ack > acknowledged);
	win(stage_status(&s, 0).term + 1);
	invent_nodes(200);
	/* Our own report is the last in the table. */
	assert_int_not_equal(member->report.node, 2);
	lead_on(40);
	assert_int_equal(member->report.node, 2);
}

#define CASE(name)     STAGE_CASE(name, enter, &s)
#define CASE_LED(name) STAGE_CASE(name, enter_led, &s)

static const struct CMUnitTest tests[] = {
	CASE(costs_are_reported_once_no_more_reports_come),
	CASE(a_report_of_another_term_is_not_counted),
	CASE(member_that_invents_nodes_fills_its_table_and_no_more),
	CASE(frame_that_is_no_report_is_dropped_as_senseless),
	CASE_LED(a_report_goes_to_the_leader_with_some_rounds),
	CASE_LED(a_report_is_handed_on_at_once_if_it_is_news),
	STAGE_CASE(a_leader_hands_no_report_on, enter_led_by_worse, &s),
	CASE_LED(each_report_goes_out_even_if_some_only_fit),
	CASE_LED(more_reports_than_fit_go_out_after_messages_and_in_turn),
};

GROUP(tests);
