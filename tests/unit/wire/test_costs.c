/* SPDX-License-Identifier: ISC */
/* Cost reports: on the wire, hostile ones too, and their sum. */
#include "tests/lib/codec.h"
#include "tests/unit/group.h"

#include <string.h>

#include "common/wire/costs.h"

#define ROOM 3 /* nodes that these costs can hold */

static const struct cost_report sample = {
	.term = UINT64_C(0x0102030405060708),
	.node = 0x11121314,
	.is_starter = true,
	.sent = { 1, 2, 3, 4, 5, 6, 7, UINT32_MAX },
};

static const uint8_t golden[COST_REPORT_BYTES] = {
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* term */
	0x11, 0x12, 0x13, 0x14,                         /* node */
	0x01,                                           /* starter */
	0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, /* sent */
	0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 7, 0xff, 0xff, 0xff, 0xff, /**/
};

static bool
decodes(const uint8_t *bytes, size_t size)
{
	struct reader r = reader_of(bytes, size);
	struct cost_report report;

	return cost_report_decode(&r, &report);
}

/* True if the golden report with these bytes in it makes sense. */
static bool
decodes_with(size_t at, const uint8_t *bytes, size_t size)
{
	uint8_t copy[COST_REPORT_BYTES];

	memcpy(copy, golden, sizeof(copy));
	memcpy(copy + at, bytes, size);
	return decodes(copy, sizeof(copy));
}

static struct cost_report
report_of(uint64_t term, node_id node, uint32_t first, uint32_t last)
{
	struct cost_report r = { .term = term, .node = node };

	r.sent[0] = first;
	r.sent[MESSAGE_KINDS_MAX - 1] = last;
	return r;
}

static bool
take(struct costs *t, struct cost_report r)
{
	bool is_news = costs_take(t, &r) != NULL;

	costs_check(t);
	return is_news;
}

static struct costs
costs_of(struct cost_report reports[ROOM], uint64_t term)
{
	struct costs t = { .reports = reports, .capacity = ROOM };

	costs_begin(&t, term);
	return t;
}

CODEC(cost_report);

static void
report_is_encoded_like_this(void **state)
{
	const struct codec codec = CODEC_ROW(cost_report, sample, golden);

	(void)state;
	codec_stands(&codec);
	codec_refuses_cuts(&codec);
	codec_takes_what_it_says(&codec);
}

static void
a_report_without_sense_is_refused(void **state)
{
	static const struct {
		size_t at;
		size_t size;
		uint8_t bytes[8];
		bool is_right;
	} rows[] = {
		{ 0, 8, { 0 }, false }, /* no term */
		{ 0, 8, { 0x80 }, false },
		{ 0, 8, { 0x7f, 255, 255, 255, 255, 255, 255, 255 }, true },
		{ 8, 4, { 0 }, false }, /* nobody */
		{ 8, 4, { 0x80 }, false },
		{ 8, 4, { 0x7f, 0xff, 0xff, 0xff }, true },
		{ 12, 1, { 2 }, false }, /* neither yes nor no */
		{ 12, 1, { 0 }, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
		    decodes_with(rows[i].at, rows[i].bytes, rows[i].size),
		    rows[i].is_right);
}

static void
the_sum_is_of_each_nodes_latest_report(void **state)
{
	struct cost_report reports[ROOM], starter = report_of(7, 2, 10, 0);
	struct costs t = costs_of(reports, 7);
	struct costs_sum sum;

	(void)state;
	starter.is_starter = true;
	assert_true(take(&t, report_of(7, 1, 4, 1)));
	assert_true(take(&t, starter));
	assert_true(take(&t, report_of(7, 1, 5, 1)));
	sum = costs_sum(&t);
	assert_int_equal(sum.nodes, 2);
	assert_int_equal(sum.starters, 1);
	assert_int_equal(sum.sent[0], 15);
	assert_int_equal(sum.sent[1], 0);
	assert_int_equal(sum.sent[MESSAGE_KINDS_MAX - 1], 1);
}

static void
node_that_sent_nothing_is_counted_once(void **state)
{
	struct cost_report reports[ROOM];
	struct costs t = costs_of(reports, 7);

	(void)state;
	assert_true(take(&t, report_of(7, 1, 0, 0)));
	assert_false(take(&t, report_of(7, 1, 0, 0)));
	assert_int_equal(costs_sum(&t).nodes, 1);
}

/* Of two ways to the leader the earlier one may be the slower. */
static void
a_report_that_was_overtaken_is_no_news(void **state)
{
	struct cost_report reports[ROOM];
	struct costs t = costs_of(reports, 7);

	(void)state;
	assert_true(take(&t, report_of(7, 1, 5, 5)));
	assert_false(take(&t, report_of(7, 1, 5, 4)));
	assert_false(take(&t, report_of(7, 1, 9, 4)));
	assert_false(take(&t, report_of(7, 1, 5, 5)));
	assert_int_equal(costs_sum(&t).sent[0], 5);
	assert_true(take(&t, report_of(7, 1, 5, 6)));
	assert_int_equal(costs_sum(&t).sent[MESSAGE_KINDS_MAX - 1], 6);
}

static void
another_terms_report_is_refused(void **state)
{
	struct cost_report reports[ROOM];
	struct costs t = costs_of(reports, 7);

	(void)state;
	assert_false(take(&t, report_of(6, 1, 1, 1)));
	assert_false(take(&t, report_of(8, 1, 1, 1)));
	assert_int_equal(costs_sum(&t).nodes, 0);
}

static void
a_new_term_begins_with_nothing(void **state)
{
	struct cost_report reports[ROOM];
	struct costs t = costs_of(reports, 7);

	(void)state;
	assert_true(take(&t, report_of(7, 1, 4, 4)));
	costs_begin(&t, 8);
	assert_int_equal(costs_sum(&t).nodes, 0);
	assert_int_equal(costs_sum(&t).sent[0], 0);
	assert_false(take(&t, report_of(7, 1, 5, 5)));
	assert_true(take(&t, report_of(8, 1, 1, 1)));
}

/* A member that invents nodes fills the table; nodes in it still count. */
static void
no_more_nodes_are_taken_than_there_is_room_for(void **state)
{
	struct cost_report reports[ROOM + 1];
	struct costs t = costs_of(reports, 7);

	(void)state;
	memset(&reports[ROOM], 0x5a, sizeof(reports[ROOM]));
	for (node_id id = 1; id <= ROOM; id++)
		assert_true(take(&t, report_of(7, id, 1, 1)));
	for (node_id id = ROOM + 1; id < 1000; id++)
		assert_false(take(&t, report_of(7, id, 1, 1)));
	assert_true(take(&t, report_of(7, ROOM, 2, 1)));
	assert_int_equal(costs_sum(&t).nodes, ROOM);
	assert_int_equal(costs_sum(&t).sent[0], ROOM + 1);
	for (size_t i = 0; i < sizeof(reports[ROOM]); i++)
		assert_int_equal(((uint8_t *)&reports[ROOM])[i], 0x5a);
}

static void
the_greatest_counts_do_not_overflow(void **state)
{
	struct cost_report reports[ROOM];
	struct costs t = costs_of(reports, TERM_MAX);

	(void)state;
	for (node_id id = 1; id <= ROOM; id++)
		assert_true(
		    take(&t, report_of(TERM_MAX, id, UINT32_MAX, UINT32_MAX)));
	assert_true(costs_sum(&t).sent[0] == ROOM * (uint64_t)UINT32_MAX);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(report_is_encoded_like_this),
	cmocka_unit_test(a_report_without_sense_is_refused),
	cmocka_unit_test(the_sum_is_of_each_nodes_latest_report),
	cmocka_unit_test(node_that_sent_nothing_is_counted_once),
	cmocka_unit_test(a_report_that_was_overtaken_is_no_news),
	cmocka_unit_test(another_terms_report_is_refused),
	cmocka_unit_test(a_new_term_begins_with_nothing),
	cmocka_unit_test(no_more_nodes_are_taken_than_there_is_room_for),
	cmocka_unit_test(the_greatest_counts_do_not_overflow),
};

GROUP(tests);
