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

static void
empty_log_has_no_event(void **state)
{
	struct event_log log = empty();

	(void)state;
	assert_int_equal(event_log_first(&log), 1);
	assert_null(event_log_find(&log, 0));
	assert_null(event_log_find(&log, 1));
}

/* The log keeps the last four, from each place of its ring. */
static void
log_forgets_the_oldest(void **state)
{
	struct event_log log = empty();

	(void)state;
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

static void
numbers_go_on_after_all_is_forgotten(void **state)
{
	struct event_log log = empty();

	(void)state;
	add(&log, 1);
	add(&log, 2);
	event_log_forget(&log);
	assert_int_equal(event_log_first(&log), 3);
	assert_null(event_log_find(&log, 2));
	add(&log, 3);
	assert_int_equal(event_log_first(&log), 3);
	assert_int_equal(event_log_find(&log, 3)->term, 3);
}

static void
log_without_room_keeps_and_counts_nothing(void **state)
{
	struct event_log log = { .ring = NULL };

	(void)state;
	add(&log, 1);
	assert_int_equal(log.count, 0);
	assert_int_equal(event_log_first(&log), 1);
	assert_null(event_log_find(&log, 1));
}

/* These words are an interface: programs read them. */
static void
each_kind_has_its_word(void **state)
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

	(void)state;
	for (unsigned i = 0; i < EVENT_KINDS; i++)
		assert_string_equal(
		    event_kind_name((enum event_kind)i), words[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(empty_log_has_no_event),
	cmocka_unit_test(log_forgets_the_oldest),
	cmocka_unit_test(numbers_go_on_after_all_is_forgotten),
	cmocka_unit_test(log_without_room_keeps_and_counts_nothing),
	cmocka_unit_test(each_kind_has_its_word),
};

GROUP(tests);
