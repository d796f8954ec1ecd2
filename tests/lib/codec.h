/* SPDX-License-Identifier: ISC */
/*
 * Checks that hold for each kind of frame: a test has a table of its codecs,
 * one value each, and the bytes that stand for it.
 */
#ifndef ELECTD_TESTS_LIB_CODEC_H
#define ELECTD_TESTS_LIB_CODEC_H

#include "common/util/bytes.h"

#define CODEC_VALUE_MAX 4096 /* bytes of a decoded value */

struct codec {
	const char *name;
	void (*encode)(struct writer *w, const void *value);
	bool (*decode)(struct reader *r, void *value);
	const void *value;
	const uint8_t *golden;
	size_t size;
};

/* Wraps NAME_encode() and NAME_decode(). */
#define CODEC(NAME)                                                            \
	static void codec_encode_##NAME(struct writer *w, const void *value)   \
	{                                                                      \
		NAME##_encode(w, value);                                       \
	}                                                                      \
	static bool codec_decode_##NAME(struct reader *r, void *value)         \
	{                                                                      \
		return NAME##_decode(r, value);                                \
	}                                                                      \
	_Static_assert(true, #NAME)

/* One row of a table: a value, and an array of bytes. */
#define CODEC_ROW(NAME, value, golden)                                         \
	{                                                                      \
#NAME, codec_encode_##NAME, codec_decode_##NAME, &(value),     \
		    golden, sizeof(golden)                                     \
	}

/*
 * The value is encoded to the golden bytes. They are decoded to a value that is
 * encoded to them again, so each field is read as it was written.
 */
void codec_stands(const struct codec *c);

/* Each beginning of the golden bytes is refused. */
void codec_refuses_cuts(const struct codec *c);

/* A frame's length says where it ends: the decoder leaves what follows. */
void codec_leaves_the_rest(const struct codec *c);

/* Of all bytes that differ from the golden ones in one place, it takes only
 * those to which it would encode what it has decoded. */
void codec_takes_what_it_says(const struct codec *c);

#endif
