/* SPDX-License-Identifier: ISC */
/* The wire layout of messages, and bytes that are no message. */
#include "tests/lib/codec.h"
#include "tests/unit/group.h"

#include <string.h>

#include "common/election/outbox.h"
#include "common/util/random.h"
#include "common/wire/message.h"

static const struct message sample = {
	.term = UINT64_C(0x0102030405060708),
	.rank = { .is_eligible = true,
	    .is_contender = true,
	    .priority = -2,
	    .id = 0x0a0b },
	.origin = NODE_ID_MAX,
	.phase = 0x11121314,
	.distance = 0x21222324,
	.reason = { REASON_DUPLICATE, 0x31323334 },
	.kind = 7,
	.link = 9,
	.list_count = 2,
	.list = { 0x41424344, 0x51525354 },
};

/* The place of each field. */
enum at {
	AT_KIND = 0,
	AT_TERM = 1,
	AT_BITS = 9,
	AT_PRIORITY = 10,
	AT_ID = 14,
	AT_ORIGIN = 18,
	AT_PHASE = 22,
	AT_DISTANCE = 26,
	AT_REASON = 30,
	AT_REASON_NODE = 31,
	AT_LIST_COUNT = 36,
	AT_LIST = 38,
};

#define SAMPLE_BYTES (MESSAGE_BYTES + 2 * 4)

static const uint8_t golden[SAMPLE_BYTES] = {
	0x07,                                           /* kind */
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* term */
	0x03,                         /* eligible, contender */
	0xff, 0xff, 0xff, 0xfe,       /* priority */
	0x00, 0x00, 0x0a, 0x0b,       /* id */
	0x7f, 0xff, 0xff, 0xff,       /* origin */
	0x11, 0x12, 0x13, 0x14,       /* phase */
	0x21, 0x22, 0x23, 0x24,       /* distance */
	0x09, 0x31, 0x32, 0x33, 0x34, /* reason */
	0x09,                         /* link */
	0x00, 0x02,                   /* ids listed */
	0x41, 0x42, 0x43, 0x44,       /* the first */
	0x51, 0x52, 0x53, 0x54,       /* the second */
};

static bool
decode(const uint8_t *bytes, size_t size, struct message *m)
{
	struct reader r = reader_of(bytes, size);

	return message_decode(&r, m) && reader_at_end(&r);
}

CODEC(message);

static const struct codec codec = CODEC_ROW(message, sample, golden);

TEST(message_is_encoded_like_this)
{
	codec_stands(&codec);
	codec_refuses_cuts(&codec);
	codec_leaves_the_rest(&codec);
}

/* Changes one byte of the golden message. */
static bool
decodes_with(size_t at, uint8_t value)
{
	return codec_takes(&codec, at, 1, value);
}

TEST(values_out_of_range_are_refused)
{
	for (unsigned value = 0; value <= UINT8_MAX; value++) {
		uint8_t v = (uint8_t)value;

		assert_int_equal(
		    decodes_with(AT_KIND, v), v < MESSAGE_KINDS_MAX);
		assert_int_equal(decodes_with(AT_BITS, v), v <= 3);
		assert_int_equal(decodes_with(AT_ID, v), v < 0x80);
		assert_int_equal(decodes_with(AT_ORIGIN, v), v < 0x80);
		assert_int_equal(decodes_with(AT_REASON, v), v < REASON_KINDS);
		assert_int_equal(decodes_with(AT_REASON_NODE, v), v < 0x80);
		assert_int_equal(decodes_with(AT_LIST, v), v < 0x80);
		assert_int_equal(decodes_with(AT_LIST_COUNT + 1, v), v == 2);
		assert_true(decodes_with(AT_TERM, v));
		assert_true(decodes_with(AT_PRIORITY, v));
		assert_true(decodes_with(AT_PHASE, v));
		assert_true(decodes_with(AT_DISTANCE, v));
	}
}

/* A message's only encoding are the bytes that decode to it. */
TEST(random_bytes_decode_to_what_encodes_to_them)
{
	struct random random;
	unsigned taken = 0;

	random_init(&random, 1);
	for (int i = 0; i < 100000; i++) {
		uint8_t bytes[MESSAGE_BYTES_MAX], again[MESSAGE_BYTES_MAX];
		size_t ids = random_below(&random, LIST_MAX + 1);
		size_t size = MESSAGE_BYTES + 4 * ids;
		struct writer w = writer_of(again, sizeof(again));
		struct message m;

		for (size_t j = 0; j < size; j++)
			bytes[j] = (uint8_t)random_next(&random);
		for (size_t j = 0; j < ids; j++)
			bytes[AT_LIST + 4 * j] &= 0x7f;
		bytes[AT_LIST_COUNT] = 0;
		bytes[AT_LIST_COUNT + 1] = (uint8_t)ids;
		bytes[AT_KIND] &= 15;
		bytes[AT_BITS] &= 7;
		bytes[AT_REASON] &= 15;
		if (!decode(bytes, size, &m))
			continue;
		message_encode(&w, &m);
		assert_int_equal(w.size, size);
		assert_memory_equal(bytes, again, size);
		taken++;
	}
	assert_true(taken > 1000);
}

/* A long list is its count alone, on the wire as in memory. */
TEST(list_keeps_its_ids_until_it_is_too_long)
{
	uint8_t bytes[MESSAGE_BYTES_MAX];
	struct message m = { .kind = 1 };

	for (node_id id = 1; id <= LIST_MAX + 2; id++) {
		struct writer w = writer_of(bytes, sizeof(bytes));
		bool is_held = id <= LIST_MAX;

		assert_false(message_lists(&m, id));
		message_list(&m, id);
		assert_int_equal(m.list_count, id);
		assert_int_equal(message_lists(&m, id), is_held);
		assert_int_equal(message_lists(&m, 1), is_held);
		message_encode(&w, &m);
		assert_false(w.failed);
		assert_int_equal(
		    w.size, MESSAGE_BYTES + (is_held ? 4 * id : 0));
		assert_true(decode(bytes, w.size, &m));
	}
}

TEST(rank_and_reason_have_their_sizes)
{
	uint8_t bytes[16];
	struct writer w = writer_of(bytes, sizeof(bytes));

	rank_encode(&w, &sample.rank);
	assert_int_equal(w.size, 9);
	reason_encode(&w, sample.reason);
	assert_int_equal(w.size, 9 + 5);
	assert_memory_equal(bytes, golden + AT_BITS, 9);
	assert_memory_equal(bytes + 9, golden + AT_REASON, 5);
}

TEST(outbox_keeps_order_and_the_last_decision)
{
	struct outgoing room[3];
	struct outbox out = { .messages = room, .capacity = 3 };
	struct rank first = { .id = 1 }, second = { .id = 2 };

	for (unsigned i = 0; i < 3; i++)
		outbox_send(&out, 7 - i,
		    &(struct message){ .kind = (uint8_t)i, .phase = i });
	outbox_decide(&out, &first);
	outbox_decide(&out, &second);
	assert_false(out.has_armed);
	outbox_arm(&out);
	assert_true(out.has_armed);
	assert_int_equal(out.count, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(out.messages[i].link, 7 - i);
		assert_int_equal(out.messages[i].message.phase, i);
	}
	assert_true(out.has_decided);
	assert_int_equal(out.winner.id, 2);
	outbox_clear(&out);
	assert_int_equal(out.count, 0);
	assert_false(out.has_decided);
	assert_false(out.has_armed);
}

/* Longer rings are simulated, too: the count must not begin anew. */
TEST(count_of_a_list_stops_at_its_largest)
{
	struct message m = { .list_count = UINT16_MAX - 1 };

	message_list(&m, 1);
	assert_int_equal(m.list_count, UINT16_MAX);
	message_list(&m, 2);
	assert_int_equal(m.list_count, UINT16_MAX);
	assert_false(message_lists(&m, 1));
	assert_false(message_lists(&m, 2));
}
