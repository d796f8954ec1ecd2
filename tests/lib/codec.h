/* SPDX-License-Identifier: ISC */
/*
 * Checks that hold for each kind of frame. A test has a table of its codecs,
 * each with a value and the bytes that stand for it.
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

/* Fills in one row of a table: a value, and an array of bytes. */
#define CODEC_ROW(NAME, value, golden)                                         \
	{                                                                      \
#NAME, codec_encode_##NAME, codec_decode_##NAME, &(value),     \
		    golden, sizeof(golden)                                     \
	}

/*
 * Asserts that the value is encoded to the golden bytes, and that these are
 * decoded to a value that is encoded to them again. So each field is read as it
 * was written.
 */
void codec_stands(const struct codec *c);

/* Asserts that the decoder refuses each beginning of the golden bytes. */
void codec_refuses_cuts(const struct codec *c);

/* Asserts that the decoder stops where the frame's length says, and leaves what
 * follows. */
void codec_leaves_the_rest(const struct codec *c);

/* Changes each byte of the golden ones to each other value. Asserts that the
 * decoder takes only bytes to which it would encode what it has decoded. */
void codec_takes_what_it_says(const struct codec *c);

/* All four, for each codec of a table. */
void codecs_stand(const struct codec *codecs, size_t count);

/* A number of `size` bytes among the golden ones, from offset `at` on, and
 * whether the decoder takes all of them then. */
struct codec_row {
	const struct codec *codec;
	size_t at;
	size_t size;
	uint64_t number;
	bool is_taken;
};

void codec_rows_stand(const struct codec_row *rows, size_t count);

/* The same for one number: true if all bytes are taken. */
bool codec_takes(const struct codec *c, size_t at, size_t size, uint64_t n);

#endif
