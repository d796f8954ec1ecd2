/* SPDX-License-Identifier: ISC */
/* Datagrams for several peers: what they begin with, and the frames by which
 * two nodes agree on them. */
#include "tests/lib/codec.h"
#include "tests/unit/group.h"

#include "common/wire/group.h"
#include "common/wire/packet.h"

static const struct group_key sample_key = {
	.key = { [0] = 0xaa, [KEY_BYTES - 1] = 0xbb },
	.first = UINT64_C(0x0102030405060708),
};

static const uint8_t golden_key[GROUP_KEY_BYTES] = {
	[0] = 0xaa,
	[KEY_BYTES - 1] = 0xbb,
	[KEY_BYTES] = 0x01,
	0x02,
	0x03,
	0x04,
	0x05,
	0x06,
	0x07,
	0x08,
};

static const struct group_heard sample_heard = {
	.number = UINT64_C(0x0102030405060708),
	.run = 0x09,
	.word = 0x1112,
};

static const uint8_t golden_heard[GROUP_HEARD_BYTES] = { 0x01, 0x02, 0x03, 0x04,
	0x05, 0x06, 0x07, 0x08, 0x09, 0x11, 0x12 };

/* Nodes at the places 1, 3 and 8 of ten. */
static const uint8_t places[] = { 0x0a, 0x01 };
static const uint8_t echoes[] = { 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3 };

static const struct group_body sample_body = {
	.timestamp = 0x01020304,
	.heartbeat_us = 100000,
	.flags = BODY_ELIGIBLE | BODY_CONTENDER,
	.watch = WATCH_REQUEST,
	.config_tag = 0x21222324,
	.second_key_id = 0x31,
	.frames_count = 2,
	.places_size = sizeof(places),
	.places = places,
	.echoes = echoes,
};

static const uint8_t golden_body[] = {
	0x01, 0x02, 0x03, 0x04,             /* timestamp */
	0x00, 0x01, 0x86, 0xa0,             /* heartbeat */
	0x0c,                               /* flags */
	0x04,                               /* watch flags */
	0x21, 0x22, 0x23, 0x24,             /* configuration */
	0x31,                               /* second key */
	0x00, 0x02,                         /* frames */
	0x00, 0x02,                         /* bytes of the set */
	0x0a, 0x01,                         /* the set */
	0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, /* echoes */
};

CODEC(group_key);
CODEC(group_heard);
CODEC(group_body);

static const struct codec codecs[] = {
	CODEC_ROW(group_key, sample_key, golden_key),
	CODEC_ROW(group_heard, sample_heard, golden_heard),
};
static const struct codec body =
    CODEC_ROW(group_body, sample_body, golden_body);

TEST(frames_of_groups_are_encoded_like_this)
{
	codecs_stand(codecs, sizeof(codecs) / sizeof(codecs[0]));
	codec_stands(&body);
	codec_refuses_cuts(&body);
	codec_leaves_the_rest(&body);
	/* With another set a body has another size. */
}

TEST(words_of_groups_without_sense_are_refused)
{
	static const struct codec_row rows[] = {
		{ &body, 0, 1, 0xff, true },
		/* A beat without a pause. */
		{ &body, 4, 4, 0, false },
		/* Flags that are about one receiver. */
		{ &body, 8, 1, BODY_HEARD, false },
		{ &body, 8, 1, BODY_TAKES_LEFT, false },
		{ &body, 9, 1, WATCH_WANTED, false },
		/* A set of more than NODES_MAX nodes, or of more than there
		 * are. */
		{ &body, 17, 1, 1, false },
		{ &body, 18, 1, NODES_MAX / 8 + 1, false },
		{ &body, 19, 1, 0xff, false },
		/* A key from number 0 on. */
		{ &codecs[0], KEY_BYTES, 8, 0, false },
	};

	codec_rows_stand(rows, sizeof(rows) / sizeof(rows[0]));
}

/* Each receiver finds its own echo, and nobody else finds one. */
TEST(receivers_find_their_echoes)
{
	unsigned found = 0;

	assert_int_equal(group_count(&sample_body), 3);
	for (unsigned place = 0; place < NODES_MAX; place++) {
		uint32_t echo;
		unsigned turn;
		bool is_there = place == 1 || place == 3 || place == 8;

		assert_int_equal(
		    group_find(&sample_body, place, &echo, &turn), is_there);
		if (!is_there)
			continue;
		assert_int_equal(turn, found);
		assert_int_equal(echo, ++found);
	}
}
