/* SPDX-License-Identifier: ISC */
/* Labels of the virtual tree: their order, and the frame that has one. */
#include "tests/lib/codec.h"
#include "tests/unit/group.h"

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

static const struct codec codec = CODEC_ROW(tree_word, sample, golden);

TEST(word_is_encoded_like_this)
{
	codecs_stand(&codec, 1);
}

TEST(a_word_without_sense_is_refused)
{
	static const struct codec_row rows[] = {
		{ &codec, 0, 8, UINT64_C(1) << 63, false }, /* an epoch */
		{ &codec, 0, 8, INT64_MAX, true },
		{ &codec, 0, 8, 0, true },
		{ &codec, 8, 4, 0, false }, /* nobody is the root */
		{ &codec, 8, 4, UINT64_C(1) << 31, false },
		{ &codec, 8, 4, INT32_MAX, true },
		{ &codec, 12, 2, 1024, false }, /* a level */
		{ &codec, 12, 2, 1023, true },
		{ &codec, 14, 1, 3, false }, /* parent and child at once */
		{ &codec, 14, 1, 4, false },
		{ &codec, 14, 1, 1, true },
		{ &codec, 14, 1, 0, true },
	};

	codec_rows_stand(rows, sizeof(rows) / sizeof(rows[0]));
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
