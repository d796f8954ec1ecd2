/* SPDX-License-Identifier: ISC */
/* The events that a node keeps: their numbers, and what is forgotten. */
#include "tests/unit/group.h"

#include "common/node/event.h"

#define ROOM 4

static struct event room[ROOM];

static struct event_log
empty(void)
{
	return (struct event_log){ .ring = room, .capacity = ROOM };
}

static void
add(struct event_log *log, uint64_t term)
{
	event_log_add(
	    log, &(struct event){ .kind = EVENT_STARTS, .term = term });
}

TEST(empty_log_has_no_event)
{
	struct event_log log = empty();

	assert_int_equal(event_log_first(&log), 1);
	assert_null(event_log_find(&log, 0));
	assert_null(event_log_find(&log, 1));
}

/* The log keeps the last four, from each place of its ring. */
TEST(log_forgets_the_oldest)
{
	struct event_log log = empty();

	for (uint64_t term = 1; term <= 3 * ROOM; term++) {
		uint64_t first = term > ROOM ? term - ROOM + 1 : 1;

		add(&log, term);
		assert_int_equal(event_log_first(&log), first);
		assert_null(event_log_find(&log, first - 1));
		assert_null(event_log_find(&log, term + 1));
		for (uint64_t i = first; i <= term; i++) {
			assert_int_equal(event_log_find(&log, i)->number, i);
			assert_int_equal(event_log_find(&log, i)->term, i);
		}
	}
}

TEST(numbers_go_on_after_all_is_forgotten)
{
	struct event_log log = empty();

	add(&log, 1);
	add(&log, 2);
	event_log_forget(&log);
	assert_int_equal(event_log_first(&log), 3);
	assert_null(event_log_find(&log, 2));
	add(&log, 3);
	assert_int_equal(event_log_first(&log), 3);
	assert_int_equal(event_log_find(&log, 3)->term, 3);
}

TEST(log_without_room_keeps_and_counts_nothing)
{
	struct event_log log = { .ring = NULL };

	add(&log, 1);
	assert_int_equal(log.count, 0);
	assert_int_equal(event_log_first(&log), 1);
	assert_null(event_log_find(&log, 1));
}

/* These words are an interface: programs read them. */
TEST(each_kind_has_its_word)
{
	static const char *const words[EVENT_KINDS] = {
		[EVENT_STARTS] = "starts",
		[EVENT_SENT] = "sent",
		[EVENT_TAKEN] = "taken",
		[EVENT_TIMER] = "timer",
		[EVENT_DECIDED] = "decided",
		[EVENT_LEADER] = "leader",
		[EVENT_NO_LEADER] = "no-leader",
	};

	for (unsigned i = 0; i < EVENT_KINDS; i++)
		assert_string_equal(
		    event_kind_name((enum event_kind)i), words[i]);
}
