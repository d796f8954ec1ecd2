/* SPDX-License-Identifier: ISC */
/* The beacon of a leader that hands over. */
#include "tests/unit/group.h"

#include <string.h>

#include "common/wire/packet.h"

#define BITS_AT      40 /* the byte with HANDS_OVER and so on */
#define SUCCESSOR_AT 41

static struct beacon
beacon_of(bool hands_over, bool is_named, node_id successor)
{
	return (struct beacon){
		.term = 7,
		.leader = { .is_eligible = true, .id = 5 },
		.incarnation = 3,
		.number = 9,
		.reason = { REASON_RESIGN, 5 },
		.hands_over = hands_over,
		.is_named = is_named,
		.successor = successor,
	};
}

static bool
comes_through(const struct beacon *beacon, struct beacon *p)
{
	uint8_t bytes[BEACON_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct reader r = reader_of(bytes, sizeof(bytes));

	beacon_encode(&w, beacon);
	assert_false(w.failed);
	assert_int_equal(w.size, BEACON_BYTES);
	return beacon_decode(&r, p);
}

TEST(leader_that_hands_over_says_so_and_for_whom)
{
	struct beacon all[] = {
		beacon_of(false, false, NODE_NONE),
		beacon_of(true, false, NODE_NONE),
		beacon_of(true, false, 4),
		beacon_of(true, true, NODE_ID_MAX),
	};

	all[2].is_leaving = true;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct beacon p;

		assert_true(comes_through(&all[i], &p));
		assert_int_equal(p.hands_over, all[i].hands_over);
		assert_int_equal(p.is_named, all[i].is_named);
		assert_int_equal(p.is_leaving, all[i].is_leaving);
		assert_int_equal(p.successor, all[i].successor);
		assert_int_equal(p.reason.kind, REASON_RESIGN);
	}
}

TEST(successor_of_a_leader_that_stays_is_refused)
{
	struct beacon bad[] = {
		beacon_of(false, false, NODE_NONE),
		beacon_of(false, false, 4),
		beacon_of(false, true, NODE_NONE),
		beacon_of(false, true, 4),
		beacon_of(true, false, NODE_ID_MAX + 1),
		beacon_of(true, true, NODE_ID_MAX + 1),
	};
	struct beacon p;

	bad[0].is_leaving = true;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(comes_through(&bad[i], &p));
}

TEST(unknown_bits_are_refused)
{
	const struct beacon beacon = beacon_of(true, true, 4);
	uint8_t bytes[BEACON_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));

	beacon_encode(&w, &beacon);
	assert_int_equal(bytes[BITS_AT], 3);
	assert_int_equal(bytes[SUCCESSOR_AT + 3], 4);
	for (unsigned bits = 0; bits <= UINT8_MAX; bits++) {
		struct reader r = reader_of(bytes, sizeof(bytes));
		struct beacon p;

		bytes[BITS_AT] = (uint8_t)bits;
		assert_int_equal(
		    beacon_decode(&r, &p), bits % 2 == 1 && bits <= 7);
	}
}
