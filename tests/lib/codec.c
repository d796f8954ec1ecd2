/* SPDX-License-Identifier: ISC */
/* Checks that hold for each kind of frame. */
#include "tests/lib/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BYTES_MAX 256

static bool
decode(const struct codec *c, const uint8_t *bytes, size_t size, void *value,
    size_t *left)
{
	struct reader r = reader_of(bytes, size);
	bool ok = c->decode(&r, value);

	*left = r.left;
	return ok;
}

/* Encodes `value`, and asserts that this gives these c->size bytes. */
static void
check_encoded(const struct codec *c, const void *value, const uint8_t *wanted)
{
	uint8_t bytes[BYTES_MAX];
	struct writer w = writer_of(bytes, c->size);

	c->encode(&w, value);
	assert_false(w.failed);
	assert_int_equal(w.size, c->size);
	assert_memory_equal(bytes, wanted, c->size);
}

void
codec_stands(const struct codec *c)
{
	_Alignas(max_align_t) uint8_t value[CODEC_VALUE_MAX];
	size_t left;

	print_message("%s\n", c->name);
	assert_true(c->size <= BYTES_MAX);
	check_encoded(c, c->value, c->golden);
	assert_true(decode(c, c->golden, c->size, value, &left));
	assert_int_equal(left, 0);
	check_encoded(c, value, c->golden);
}

void
codec_refuses_cuts(const struct codec *c)
{
	_Alignas(max_align_t) uint8_t value[CODEC_VALUE_MAX];
	size_t left;

	print_message("%s\n", c->name);
	for (size_t size = 0; size < c->size; size++)
		assert_false(decode(c, c->golden, size, value, &left));
}

void
codec_leaves_the_rest(const struct codec *c)
{
	_Alignas(max_align_t) uint8_t value[CODEC_VALUE_MAX];
	uint8_t bytes[BYTES_MAX + 3] = { 0 };
	size_t left;

	print_message("%s\n", c->name);
	memcpy(bytes, c->golden, c->size);
	assert_true(decode(c, bytes, c->size + 3, value, &left));
	assert_int_equal(left, 3);
	check_encoded(c, value, c->golden);
}

void
codec_takes_what_it_says(const struct codec *c)
{
	_Alignas(max_align_t) uint8_t value[CODEC_VALUE_MAX];
	uint8_t bytes[BYTES_MAX];
	size_t left;

	print_message("%s\n", c->name);
	memcpy(bytes, c->golden, c->size);
	for (size_t at = 0; at < c->size; at++) {
		for (unsigned byte = 0; byte <= UINT8_MAX; byte++) {
			bytes[at] = (uint8_t)byte;
			if (decode(c, bytes, c->size, value, &left))
				check_encoded(c, value, bytes);
		}
		bytes[at] = c->golden[at];
	}
}

void
codecs_stand(const struct codec *codecs, size_t count)
{
	for (const struct codec *c = codecs; c < codecs + count; c++) {
		codec_stands(c);
		codec_refuses_cuts(c);
		codec_leaves_the_rest(c);
		codec_takes_what_it_says(c);
	}
}

bool
codec_takes(const struct codec *c, size_t at, size_t size, uint64_t n)
{
	_Alignas(max_align_t) uint8_t value[CODEC_VALUE_MAX];
	uint8_t bytes[BYTES_MAX];
	size_t left;

	assert_true(c->size <= sizeof(bytes) && at + size <= c->size);
	assert_true(size == sizeof(n) || n >> 8 * size == 0);
	memcpy(bytes, c->golden, c->size);
	for (size_t i = size; i > 0; i--, n >>= 8)
		bytes[at + i - 1] = (uint8_t)n;
	return decode(c, bytes, c->size, value, &left) && left == 0;
}

void
codec_rows_stand(const struct codec_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct codec_row *row = &rows[i];

		if (codec_takes(row->codec, row->at, row->size, row->number) !=
		    row->is_taken)
			fail_msg("%s, row %zu", row->codec->name, i);
	}
}
