/* SPDX-License-Identifier: ISC */
/* The queue of notices, and the words for evidence and for what is dropped. */

#include "tests/unit/group.h"

#include "common/node/notice.h"

#define ROOM 3

static struct notice room[ROOM];

static struct notices
empty(void)
{
	return (struct notices){ .ring = room, .capacity = ROOM };
}

static void
add(struct notices *q, uint64_t term)
{
	notices_add(q, &(struct notice){ .kind = NOTICE_LEADER, .term = term });
}

static void
assert_next(struct notices *q, uint64_t term)
{
	struct notice n;

	assert_true(notices_take(q, &n));
	assert_int_equal(n.kind, NOTICE_LEADER);
	assert_true(n.term == term);
}

TEST(empty_queue_gives_none_and_leaves_the_notice_alone)
{
	struct notices q = empty();
	struct notice n = { .term = 7 };

	assert_false(notices_take(&q, &n));
	assert_int_equal(n.term, 7);
	add(&q, 1);
	assert_next(&q, 1);
	assert_false(notices_take(&q, &n));
	assert_int_equal(n.term, 7);
}

/* The queue fills up, from each place of the ring. */
TEST(notices_come_out_as_they_went_in)
{
	struct notices q = empty();
	uint64_t in = 0, out = 0;

	for (unsigned round = 0; round < 2 * ROOM; round++) {
		while (q.count < q.capacity)
			add(&q, in++);
		assert_next(&q, out++);
		assert_next(&q, out++);
	}
	assert_next(&q, out++);
	assert_int_equal(in, out);
	assert_int_equal(q.count, 0);
}

TEST(notice_is_kept_whole)
{
	struct notices q = empty();
	struct notice n, in = {
		.kind = NOTICE_ELECTED,
		.at = 5 * SEC,
		.term = 9,
		.leader = 3,
		.previous = 2,
		.peer = 4,
		.reason = { REASON_DIED, 2 },
		.evidence = EVIDENCE_BYE,
		.drop = DROP_SEAL,
		.on = true,
		.duration = 7 * MSEC,
		.sent = { 1, 2, 3, 4, 5, 6, 7, 8 },
		.text = "3 > leader of term 9",
	};

	notices_add(&q, &in);
	add(&q, 10);
	assert_true(notices_take(&q, &n));
	assert_memory_equal(&n, &in, sizeof(n));
}

/* These words are an interface: programs read them. */
TEST(each_evidence_has_its_word)
{
	static const char *const words[] = {
		[EVIDENCE_NONE] = "none",
		[EVIDENCE_DIED] = "died",
		[EVIDENCE_BYE] = "bye",
		[EVIDENCE_MISSED] = "missed",
		[EVIDENCE_REFUSED] = "refused",
		[EVIDENCE_RESET] = "reset",
		[EVIDENCE_DISTANT] = "distant",
	};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_string_equal(evidence_name((enum evidence)i), words[i]);
}

TEST(each_reason_to_drop_has_its_word)
{
	static const char *const words[DROP_KINDS] = {
		[DROP_NONE] = "none",
		[DROP_SHORT] = "short",
		[DROP_FOREIGN] = "foreign",
		[DROP_CLUSTER] = "cluster",
		[DROP_SAME_ID] = "same-id",
		[DROP_UNKNOWN] = "unknown",
		[DROP_ADDRESS] = "address",
		[DROP_KEY] = "key",
		[DROP_SESSION] = "session",
		[DROP_REPLAY] = "replay",
		[DROP_SEAL] = "seal",
		[DROP_RATE] = "rate",
		[DROP_FORMAT] = "format",
		[DROP_LATE] = "late",
		[DROP_INCARNATION] = "incarnation",
	};

	for (unsigned i = 0; i < DROP_KINDS; i++) {
		assert_non_null(words[i]);
		assert_string_equal(drop_name((enum drop)i), words[i]);
	}
}
