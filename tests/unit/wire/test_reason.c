/* SPDX-License-Identifier: ISC */
/* Reasons as people and programs read them: words that must not change. */
#include "tests/unit/group.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/wire/reason.h"

TEST(reason_is_its_word_and_the_node_it_concerns)
{
	char text[REASON_TEXT_MAX];

	assert_string_equal(
	    reason_text((struct reason){ REASON_START, NODE_NONE }, text),
	    "start");
	assert_string_equal(
	    reason_text((struct reason){ REASON_DIED, 5 }, text), "died:5");
	assert_string_equal(
	    reason_text((struct reason){ REASON_MISSED, 17 }, text),
	    "missed:17");
	assert_string_equal(
	    reason_text((struct reason){ REASON_NONE, NODE_NONE }, text),
	    "none");
}

TEST(text_is_given_where_it_was_written)
{
	char text[REASON_TEXT_MAX];

	assert_ptr_equal(
	    reason_text((struct reason){ REASON_BYE, 2 }, text), text);
}

/* The text of each reason is whole: nothing of the id is cut off. */
TEST(longest_text_fits)
{
	char text[REASON_TEXT_MAX], id[REASON_TEXT_MAX];

	snprintf(id, sizeof(id), ":%" PRIu32, NODE_ID_MAX);
	for (unsigned kind = 0; kind < REASON_KINDS; kind++) {
		struct reason reason = { (enum reason_kind)kind, NODE_ID_MAX };
		const char *colon = strchr(reason_text(reason, text), ':');

		assert_non_null(colon);
		assert_string_equal(colon, id);
	}
}

TEST(each_reason_has_its_word)
{
	static const char *const words[REASON_KINDS] = {
		[REASON_NONE] = "none",
		[REASON_START] = "start",
		[REASON_DIED] = "died",
		[REASON_BYE] = "bye",
		[REASON_MISSED] = "missed",
		[REASON_PREEMPT] = "preempt",
		[REASON_MERGE] = "merge",
		[REASON_FORCED] = "forced",
		[REASON_STALLED] = "stalled",
		[REASON_DUPLICATE] = "duplicate",
		[REASON_REFUTED] = "refuted",
		[REASON_LEASE] = "lease",
		[REASON_QUORUM] = "quorum",
		[REASON_DENIED] = "denied",
		[REASON_STATE_FILE] = "state-file",
		[REASON_RESIGN] = "resigned",
		[REASON_REFUSED] = "refused",
		[REASON_ALONE] = "alone",
		[REASON_REMOVED] = "removed",
		[REASON_CARRIER] = "no-carrier",
	};
	char text[REASON_TEXT_MAX];

	for (unsigned kind = 0; kind < REASON_KINDS; kind++) {
		struct reason reason = { (enum reason_kind)kind, NODE_NONE };

		assert_non_null(words[kind]);
		assert_string_equal(reason_text(reason, text), words[kind]);
	}
}
