/* SPDX-License-Identifier: ISC */
/* The events, as several readers take them. */
#include "tests/unit/group.h"

#include <stdio.h>
#include <string.h>

#include "daemon/electweb/feed.h"

static void
add(struct feed *f, const char *line)
{
	const struct electd_news news = { .kind = ELECTD_EVENT, .line = line };

	assert_true(feed_add(f, &news));
}

/* What a reader takes, in pieces of at most `piece` bytes. */
static const char *
take(const struct feed *f, struct feed_place *place, size_t piece)
{
	static char text[4096];
	size_t size = 0;
	int taken;

	while ((taken = feed_read(f, place, text + size, piece)) > 0)
		size += (size_t)taken;
	assert_int_equal(taken, 0);
	text[size] = '\0';
	return text;
}

TEST(new_reader_begins_with_who_leads)
{
	struct feed f = { .next = 0 };
	struct feed_place place = feed_begin(&f);

	assert_string_equal(take(&f, &place, 64), "");
	add(&f, "{\"event\":\"state\",\"leader\":null}");
	add(&f, "{\"event\":\"leader\",\"leader\":{}}");
	add(&f, "{\"event\":\"up\"}");
	place = feed_begin(&f);
	assert_string_equal(take(&f, &place, 64),
	    "id: 1\ndata: {\"event\":\"leader\",\"leader\":{}}\n\n"
	    "id: 2\ndata: {\"event\":\"up\"}\n\n");
	assert_string_equal(take(&f, &place, 64), "");
	feed_end(&f);
}

TEST(reader_gets_each_event_once_in_pieces_of_any_size)
{
	for (size_t piece = 1; piece < 40; piece++) {
		struct feed f = { .next = 0 };
		struct feed_place place = feed_begin(&f);

		add(&f, "{\"event\":\"up\"}");
		add(&f, "{\"event\":\"down\"}");
		assert_string_equal(take(&f, &place, piece),
		    "id: 0\ndata: {\"event\":\"up\"}\n\n"
		    "id: 1\ndata: {\"event\":\"down\"}\n\n");
		feed_end(&f);
	}
}

TEST(end_of_the_daemon_is_an_event)
{
	struct feed f = { .next = 0 };
	struct feed_place place = feed_begin(&f);
	const struct electd_news gone = { .kind = ELECTD_GONE },
				 met = { .kind = ELECTD_MET, .line = "{}" };

	assert_true(feed_add(&f, &gone));
	assert_false(feed_add(&f, &met));
	assert_string_equal(
	    take(&f, &place, 64), "id: 0\ndata: {\"event\":\"gone\"}\n\n");
	feed_end(&f);
}

TEST(reader_that_is_too_slow_is_told_to_go)
{
	struct feed f = { .next = 0 };
	struct feed_place slow = feed_begin(&f), late;
	char bytes[16];

	for (unsigned i = 0; i < FEED_EVENTS; i++)
		add(&f, "{\"event\":\"up\"}");
	late = slow;
	assert_true(feed_read(&f, &late, bytes, sizeof(bytes)) > 0);
	add(&f, "{\"event\":\"up\"}");
	assert_int_equal(feed_read(&f, &slow, bytes, sizeof(bytes)), -1);
	assert_int_equal(feed_read(&f, &late, bytes, sizeof(bytes)), -1);
	feed_end(&f);
}

TEST(event_that_is_too_long_is_left_out)
{
	struct feed f = { .next = 0 };
	char line[FEED_TEXT_MAX + 2];
	const struct electd_news news = { .kind = ELECTD_EVENT, .line = line };

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_false(feed_add(&f, &news));
	line[FEED_TEXT_MAX] = '\0';
	assert_true(feed_add(&f, &news));
	feed_end(&f);
}
