/* SPDX-License-Identifier: ISC */
/* Causes as people and programs read them: words that must not change. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/wire/cause.h"

static void
cause_is_its_word_and_the_node_it_concerns(void **state)
{
	char text[CAUSE_TEXT_MAX];

	(void)state;
	assert_string_equal(
	    cause_text((struct cause){ CAUSE_START, NODE_NONE }, text),
	    "start");
	assert_string_equal(
	    cause_text((struct cause){ CAUSE_DIED, 5 }, text), "died:5");
	assert_string_equal(
	    cause_text((struct cause){ CAUSE_MISSED, 17 }, text), "missed:17");
	assert_string_equal(
	    cause_text((struct cause){ CAUSE_NONE, NODE_NONE }, text), "none");
}

static void
text_is_given_where_it_was_written(void **state)
{
	char text[CAUSE_TEXT_MAX];

	(void)state;
	assert_ptr_equal(
	    cause_text((struct cause){ CAUSE_BYE, 2 }, text), text);
}

/* Whatever the cause, its text is whole: nothing of the id is cut off. */
static void
longest_text_has_room(void **state)
{
	char text[CAUSE_TEXT_MAX], id[CAUSE_TEXT_MAX];

	(void)state;
	snprintf(id, sizeof(id), ":%" PRIu32, NODE_ID_MAX);
	for (unsigned kind = 0; kind < CAUSE_KINDS; kind++) {
		struct cause cause = { (enum cause_kind)kind, NODE_ID_MAX };
		const char *colon = strchr(cause_text(cause, text), ':');

		assert_non_null(colon);
		assert_string_equal(colon, id);
	}
}

static void
each_cause_has_its_word(void **state)
{
	static const char *const words[CAUSE_KINDS] = {
		[CAUSE_NONE] = "none",
		[CAUSE_START] = "start",
		[CAUSE_DIED] = "died",
		[CAUSE_BYE] = "bye",
		[CAUSE_MISSED] = "missed",
		[CAUSE_PREEMPT] = "preempt",
		[CAUSE_MERGE] = "merge",
		[CAUSE_FORCED] = "forced",
		[CAUSE_STALLED] = "stalled",
		[CAUSE_DUPLICATE] = "duplicate",
		[CAUSE_RAISED] = "raised",
		[CAUSE_LEASE] = "lease",
		[CAUSE_QUORUM] = "quorum",
		[CAUSE_DENIED] = "denied",
		[CAUSE_MEMORY] = "memory",
		[CAUSE_RESIGN] = "resigned",
		[CAUSE_REFUSED] = "refused",
		[CAUSE_ALONE] = "alone",
	};
	char text[CAUSE_TEXT_MAX];

	(void)state;
	for (unsigned kind = 0; kind < CAUSE_KINDS; kind++) {
		struct cause cause = { (enum cause_kind)kind, NODE_NONE };

		assert_non_null(words[kind]);
		assert_string_equal(cause_text(cause, text), words[kind]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cause_is_its_word_and_the_node_it_concerns),
		cmocka_unit_test(text_is_given_where_it_was_written),
		cmocka_unit_test(longest_text_has_room),
		cmocka_unit_test(each_cause_has_its_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
