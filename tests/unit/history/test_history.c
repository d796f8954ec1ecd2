/* SPDX-License-Identifier: ISC */
/* Histories as JSON: what is written is read again, and what is wrong is
 * refused. */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/history/causes.h"
#include "daemon/history/history.h"

#define TEXT_MAX 4096

/* One node of each kind of event. */
static const char whole[] =
    "{\"id\":2,\"name\":\"web2\",\"cluster\":\"web\",\"algorithm\":\"bully\","
    "\"topology\":\"ring\",\"kinds\":[\"ELECTION\",\"OK\"],"
    "\"incarnation\":7,\"clock\":\"ns\",\"epoch_ns\":1000,\"first\":4,"
    "\"last\":10,\"next\":null,\"events\":["
    "{\"number\":4,\"at\":1,\"kind\":\"starts\",\"term\":3,"
    "\"reason\":\"died:5\"},"
    "{\"number\":5,\"at\":1,\"kind\":\"sent\",\"term\":3,\"peer\":1,"
    "\"session\":281474976710655,\"sequence\":4294967295,"
    "\"message\":\"OK\",\"rank\":2,\"origin\":null,\"phase\":6,"
    "\"link\":\"left\"},"
    "{\"number\":6,\"at\":2,\"kind\":\"taken\",\"term\":3,\"peer\":3,"
    "\"session\":5,\"sequence\":1,\"message\":\"ELECTION\",\"rank\":3,"
    "\"origin\":1,\"phase\":0,\"link\":\"right\"},"
    "{\"number\":7,\"at\":3,\"kind\":\"timer\",\"term\":3},"
    "{\"number\":8,\"at\":3,\"kind\":\"decided\",\"term\":3,\"leader\":2,"
    "\"reason\":\"start\"},"
    "{\"number\":9,\"at\":3,\"kind\":\"leader\",\"term\":3,\"leader\":2,"
    "\"reason\":\"start\"},"
    "{\"number\":10,\"at\":9,\"kind\":\"no-leader\",\"term\":3,"
    "\"leader\":null,\"reason\":\"lease:2\"}]}";

/* Reads a text; returns what is wrong, "" if nothing is. */
static const char *
read_text(struct histories *h, const char *text)
{
	static char error[HISTORY_ERROR_MAX];

	error[0] = '\0';
	if (histories_read(h, text, strlen(text), error))
		assert_string_equal(error, "");
	else
		assert_string_not_equal(error, "");
	return error;
}

/* The whole with one part of it replaced. */
static const char *
with(const char *part, const char *other)
{
	static char text[TEXT_MAX];
	const char *at = strstr(whole, part);

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - whole), whole,
	    other, at + strlen(part));
	return text;
}

static void
assert_refused(const char *text, const char *why)
{
	struct histories h = { 0 };
	const char *error = read_text(&h, text);

	if (strstr(error, why) == NULL)
		fail_msg("\"%s\" has no \"%s\"", error, why);
	histories_free(&h);
}

TEST(history_that_is_read_is_written_the_same)
{
	struct histories h = { 0 };
	json_t *o;
	char *text;

	assert_string_equal(read_text(&h, whole), "");
	assert_int_equal(h.count, 1);
	assert_int_equal(h.events_count, 7);
	o = history_json(&h.nodes[0]);
	text = json_dumps(o, JSON_COMPACT);
	assert_string_equal(text, whole);
	free(text);
	json_decref(o);
	histories_free(&h);
}

TEST(values_out_of_range_are_refused)
{
	static const char *const wrong[][3] = {
		{ "\"id\":2", "\"id\":0", "\"id\"" },
		{ "\"id\":2", "\"id\":2147483648", "\"id\"" },
		{ "\"id\":2", "\"id\":\"2\"", "\"id\"" },
		{ "\"name\":\"web2\",", "", "\"name\"" },
		{ "\"kinds\":[\"ELECTION\",\"OK\"]", "\"kinds\":[]",
		    "\"kinds\"" },
		{ "\"kinds\":[\"ELECTION\",\"OK\"]",
		    "\"kinds\":[\"<b>\",\"OK\"]", "\"kinds\"" },
		{ "\"clock\":\"ns\"", "\"clock\":\"day\"", "\"clock\"" },
		{ "\"first\":4", "\"first\":0", "\"first\"" },
		{ "\"last\":10", "\"last\":9", "\"last\"" },
		{ "\"epoch_ns\":1000", "\"epoch_ns\":-1", "\"epoch_ns\"" },
		{ "\"kind\":\"timer\"", "\"kind\":\"tea\"", "\"kind\"" },
		{ "281474976710655", "281474976710656", "\"session\"" },
		{ "4294967295", "4294967296", "\"sequence\"" },
		{ "\"sequence\":1", "\"sequence\":0", "\"sequence\"" },
		{ "\"message\":\"OK\"", "\"message\":\"NO\"", "\"message\"" },
		{ "\"link\":\"left\"", "\"link\":\"up\"", "\"link\"" },
		{ "\"peer\":1", "\"peer\":2", "to itself" },
		{ "\"number\":6", "\"number\":7", "does not follow" },
		{ "\"number\":7,\"at\":3", "\"number\":7,\"at\":1", "before" },
		{ "\"leader\":null", "\"leader\":0", "\"leader\"" },
		{ "]}", "]} []", "missing" },
		{ "]}", "]", "not JSON" },
		{ "\"id\":2", "\"id\":2,\"id\":3", "not JSON" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_refused(with(wrong[i][0], wrong[i][1]), wrong[i][2]);
	assert_refused("", "has no history");
	assert_refused(" \n", "has no history");
}

/* Names become part of pictures and of what is printed. */
TEST(name_with_other_letters_becomes_the_id)
{
	struct histories h = { 0 };

	assert_string_equal(
	    read_text(&h, with("\"name\":\"web2\"", "\"name\":\"<web>\"")), "");
	assert_string_equal(h.nodes[0].name, "2");
	histories_free(&h);
}

TEST(reason_of_a_later_release_is_none)
{
	struct histories h = { 0 };

	assert_string_equal(
	    read_text(&h, with("\"died:5\"", "\"eclipse:5\"")), "");
	assert_int_equal(h.nodes[0].events[0].reason.kind, REASON_NONE);
	histories_free(&h);
}

TEST(term_is_kept_alone)
{
	struct histories h = { 0 };

	assert_string_equal(read_text(&h, with("\"kind\":\"timer\",\"term\":3",
					      "\"kind\":\"timer\",\"term\":4")),
	    "");
	histories_keep_term(&h, 4);
	assert_int_equal(h.events_count, 1);
	assert_int_equal(h.nodes[0].count, 1);
	assert_null(history_event(&h.nodes[0], 6));
	assert_int_equal(history_event(&h.nodes[0], 7)->number, 7);
	assert_null(history_event(&h.nodes[0], 8));
	histories_free(&h);
}

TEST(message_that_was_taken_twice_is_refused)
{
	static struct event sent = {
		.number = 1, .kind = EVENT_SENT, .peer = 2, .sequence = 1
	};
	static struct event taken[] = {
		{ .number = 1, .kind = EVENT_TAKEN, .peer = 1, .sequence = 1 },
		{ .number = 2, .kind = EVENT_TAKEN, .peer = 1, .sequence = 1 },
	};
	struct history nodes[] = {
		{ .id = 1, .first = 1, .events = &sent, .count = 1 },
		{ .id = 2, .first = 1, .events = taken, .count = 2 },
	};
	const struct histories h = {
		.nodes = nodes, .count = 2, .events_count = 3
	};
	char error[HISTORY_ERROR_MAX] = "";
	struct causes c;

	assert_false(causes_find(&c, &h, error));
	assert_non_null(strstr(error, "twice"));
	causes_free(&c);
}

/* What one input causes is one step; a message is one more. */
TEST(rows_count_the_longest_chain)
{
	static struct event starts[] = {
		{ .number = 1, .at = 5, .kind = EVENT_STARTS },
		{ .number = 2,
		    .at = 5,
		    .kind = EVENT_SENT,
		    .peer = 2,
		    .sequence = 1 },
		{ .number = 3, .at = 6, .kind = EVENT_TIMER },
	};
	static struct event takes[] = {
		{ .number = 1,
		    .at = 1,
		    .kind = EVENT_TAKEN,
		    .peer = 1,
		    .sequence = 1 },
		{ .number = 2, .at = 1, .kind = EVENT_DECIDED },
	};
	struct history nodes[] = {
		{ .id = 1, .first = 1, .events = starts, .count = 3 },
		{ .id = 2, .first = 1, .events = takes, .count = 2 },
	};
	const struct histories h = {
		.nodes = nodes, .count = 2, .events_count = 5
	};
	char error[HISTORY_ERROR_MAX];
	struct causes c;

	assert_true(causes_find(&c, &h, error));
	assert_int_equal(c.row_of[0][0], 0);
	assert_int_equal(c.row_of[0][1], 0);
	assert_int_equal(c.row_of[0][2], 1);
	assert_int_equal(c.row_of[1][0], 1);
	assert_int_equal(c.row_of[1][1], 1);
	assert_int_equal(c.rows, 2);
	/* The taker's clock is behind; it comes after the sending even so. */
	assert_int_equal(c.order[2].node, 1);
	causes_free(&c);
}
