/* SPDX-License-Identifier: ISC */
/* Labels of the virtual tree: their order, and the frame that has one. */
#include "tests/lib/codec.h"
#include "tests/unit/group.h"

#include <string.h>

#include "common/wire/label.h"

static const struct tree_word sample = {
	.label = {
		.epoch = UINT64_C(0x0102030405060708),
		.root = 0x11121314,
		.level = 0x0203,
	},
	.is_child = true,
};

static const uint8_t golden[TREE_WORD_BYTES] = {
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* epoch */
	0x11, 0x12, 0x13, 0x14,                         /* root */
	0x02, 0x03,                                     /* level */
	0x02,                                           /* child */
};

CODEC(tree_word);

TEST(word_is_encoded_like_this)
{
	const struct codec codec = CODEC_ROW(tree_word, sample, golden);

	codec_stands(&codec);
	codec_refuses_cuts(&codec);
	codec_leaves_the_rest(&codec);
	codec_takes_what_it_says(&codec);
}

/* True if the golden word with these bytes in it makes sense. */
static bool
decodes_with(size_t at, const uint8_t *bytes, size_t size)
{
	uint8_t copy[TREE_WORD_BYTES];
	struct tree_word word;
	struct reader r;

	memcpy(copy, golden, sizeof(copy));
	memcpy(copy + at, bytes, size);
	r = reader_of(copy, sizeof(copy));
	return tree_word_decode(&r, &word);
}

TEST(a_word_without_sense_is_refused)
{
	static const struct {
		size_t at;
		size_t size;
		uint8_t bytes[8];
		bool is_right;
	} rows[] = {
		{ 0, 8, { 0x80 }, false }, /* an epoch of 64 bits */
		{ 0, 8, { 0x7f, 255, 255, 255, 255, 255, 255, 255 }, true },
		{ 0, 8, { 0 }, true },
		{ 8, 4, { 0 }, false }, /* nobody is the root */
		{ 8, 4, { 0x80 }, false },
		{ 8, 4, { 0x7f, 0xff, 0xff, 0xff }, true },
		{ 12, 2, { 0x04, 0x00 }, false }, /* level 1024 */
		{ 12, 2, { 0x03, 0xff }, true },
		{ 14, 1, { 3 }, false }, /* parent and child at once */
		{ 14, 1, { 4 }, false },
		{ 14, 1, { 1 }, true },
		{ 14, 1, { 0 }, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
		    decodes_with(rows[i].at, rows[i].bytes, rows[i].size),
		    rows[i].is_right);
}

TEST(labels_compare_by_epoch_then_root_then_level)
{
	static const struct label best_first[] = {
		{ .epoch = 2, .root = 3, .level = 9 },
		{ .epoch = 2, .root = 4, .level = 0 },
		{ .epoch = 1, .root = 1, .level = 0 },
		{ .epoch = 1, .root = 1, .level = 1 },
		{ .epoch = 1, .root = 2, .level = 0 },
	};
	const size_t count = sizeof(best_first) / sizeof(best_first[0]);

	for (size_t a = 0; a < count; a++) {
		for (size_t b = 0; b < count; b++) {
			const struct label *x = &best_first[a];
			const struct label *y = &best_first[b];

			assert_int_equal(label_better(x, y), a < b);
			assert_int_equal(label_tree_better(x, y),
			    a < b && !(a == 2 && b == 3));
		}
	}
}
