/* SPDX-License-Identifier: ISC */
/* Editions, and the frames that bear them, byte for byte. */
#include "tests/lib/codec.h"
#include "tests/unit/group.h"

#include <stddef.h>
#include <string.h>

#include "common/wire/edition.h"

#define DIGEST "DIGESTdigest0123"

static const struct edition edition = {
	.stamp = UINT64_C(0x3132333435363738),
	.generation = 0x1020,
	.digest = DIGEST,
};
static const uint8_t golden_edition[] = "12345678\0\0\x10\x20" DIGEST;

static const struct edition_told told = {
	.edition = { .stamp = TERM_MAX,
	    .generation = GENERATION_MAX,
	    .digest = DIGEST },
	.size = 0x010203,
};
static const uint8_t golden_told[] =
    "\x7f\xff\xff\xff\xff\xff\xff\xff\x7f\xff\xff\xff" DIGEST
    "\x00\x01\x02\x03";

static const struct edition_ask ask = { 0x44494745, 0x010203 };
static const uint8_t golden_ask[EDITION_ASK_BYTES] = "DIGE\x00\x01\x02\x03";

static const struct edition_piece piece = {
	.tag = 0x44494745,
	.offset = 0x010203,
	.size = 5,
	.bytes = (const uint8_t *)"piece",
};
static const uint8_t golden_piece[] = "DIGE\x00\x01\x02\x03"
				      "piece";

CODEC(edition);
CODEC(edition_told);
CODEC(edition_ask);
CODEC(edition_piece);

/* As CODEC_ROW(), of a string without its end. */
#define TEXT_ROW(NAME, value, golden)                                          \
	{                                                                      \
#NAME, codec_encode_##NAME, codec_decode_##NAME, &(value),     \
		    golden, sizeof(golden) - 1                                 \
	}

static const struct codec codecs[] = {
	TEXT_ROW(edition, edition, golden_edition),
	TEXT_ROW(edition_told, told, golden_told),
	CODEC_ROW(edition_ask, ask, golden_ask),
};
#define CODECS (sizeof(codecs) / sizeof(codecs[0]))

static const struct codec piece_codec =
    TEXT_ROW(edition_piece, piece, golden_piece);

TEST(editions_are_encoded_like_this)
{
	assert_int_equal(sizeof(golden_edition) - 1, EDITION_BYTES);
	assert_int_equal(sizeof(golden_told) - 1, EDITION_TOLD_BYTES);
	for (size_t i = 0; i < CODECS; i++) {
		codec_stands(&codecs[i]);
		codec_refuses_cuts(&codecs[i]);
		codec_leaves_the_rest(&codecs[i]);
		codec_takes_what_it_says(&codecs[i]);
	}
}

/* All that follows the offset is the piece, and there is some. */
TEST(a_piece_is_encoded_like_this_and_takes_all_the_rest)
{
	codec_stands(&piece_codec);
	codec_takes_what_it_says(&piece_codec);
	for (size_t size = 0; size < sizeof(golden_piece); size++) {
		struct reader r = reader_of(golden_piece, size);
		struct edition_piece p;
		bool ok = edition_piece_decode(&r, &p);

		assert_int_equal(ok, size > PIECE_BYTES);
		assert_true(!ok || p.size == size - PIECE_BYTES);
		assert_true(!ok || reader_at_end(&r));
	}
}

TEST(pieces_have_a_largest_size)
{
	static uint8_t bytes[PIECE_BYTES + PIECE_MAX + 1];

	for (size_t extra = 0; extra <= 1; extra++) {
		struct reader r =
		    reader_of(bytes, PIECE_BYTES + PIECE_MAX + extra);
		struct edition_piece p;

		assert_int_equal(edition_piece_decode(&r, &p), extra == 0);
	}
}

/* Decodes the codec's bytes with a number at an offset. */
static bool
decodes_with(const struct codec *c, size_t at, uint32_t number)
{
	_Alignas(max_align_t) uint8_t value[CODEC_VALUE_MAX];
	uint8_t bytes[64] = { 0 };
	struct reader r = reader_of(bytes, c->size);
	struct writer w = writer_of(bytes + at, 4);

	assert_true(c->size <= sizeof(bytes));
	memcpy(bytes, c->golden, c->size);
	write_u32(&w, number);
	return c->decode(&r, value);
}

TEST(values_out_of_range_are_refused)
{
	for (size_t i = 0; i < 2; i++) { /* both begin with an edition */
		assert_true(decodes_with(&codecs[i], 0, 0));
		assert_true(decodes_with(&codecs[i], 0, TERM_MAX >> 32));
		assert_false(decodes_with(&codecs[i], 0, 1u << 31));
		assert_false(decodes_with(&codecs[i], 0, UINT32_MAX));
		assert_true(decodes_with(&codecs[i], 8, 0));
		assert_true(decodes_with(&codecs[i], 8, GENERATION_MAX));
		assert_false(
		    decodes_with(&codecs[i], 8, (uint32_t)GENERATION_MAX + 1));
		assert_false(decodes_with(&codecs[i], 8, UINT32_MAX));
	}
	assert_true(decodes_with(&codecs[1], EDITION_BYTES, 0));
	assert_true(decodes_with(&codecs[1], EDITION_BYTES, 1));
	assert_true(decodes_with(&codecs[1], EDITION_BYTES, DOCUMENT_MAX));
	assert_false(decodes_with(&codecs[1], EDITION_BYTES, DOCUMENT_MAX + 1));
	assert_true(decodes_with(&codecs[2], 0, UINT32_MAX));
	assert_true(decodes_with(&codecs[2], 4, DOCUMENT_MAX - 1));
	assert_false(decodes_with(&codecs[2], 4, DOCUMENT_MAX));
	assert_true(decodes_with(&piece_codec, 0, UINT32_MAX));
	assert_true(decodes_with(&piece_codec, 4, DOCUMENT_MAX - 1));
	assert_false(decodes_with(&piece_codec, 4, DOCUMENT_MAX));
}

static void
assert_later(const struct edition *a, const struct edition *b)
{
	assert_true(edition_compare(a, b) > 0);
	assert_true(edition_compare(b, a) < 0);
}

TEST(the_stamp_decides_then_the_generation_then_the_digest)
{
	struct edition a = edition, b = edition;

	assert_true(edition_equal(&a, &b));
	b.digest[SALT_BYTES - 1]++;
	assert_later(&b, &a);
	a.digest[0] = 0xff;
	assert_later(&a, &b);
	b.generation++;
	assert_later(&b, &a);
	a.generation = GENERATION_MAX;
	assert_later(&a, &b);
	b.stamp++;
	assert_later(&b, &a);
	assert_false(edition_equal(&a, &b));
	a.stamp = TERM_MAX;
	assert_later(&a, &b);
}

/* Readers of JSON take no term of 2^53 or more. */
TEST(the_first_terms_rise_with_the_generation)
{
	struct edition e = edition;

	e.generation = 0;
	assert_true(edition_floor(&e) == 0);
	e.generation = 3;
	assert_true(edition_floor(&e) == 3 * GENERATION_TERMS);
	e.generation = GENERATION_FILE_MAX;
	assert_true(edition_floor(&e) + GENERATION_TERMS < UINT64_C(1) << 53);
}

TEST(the_tag_is_the_beginning_of_the_digest)
{
	struct edition other = edition;

	assert_int_equal(edition_tag(&edition), 0x44494745);
	other.generation++;
	assert_int_equal(edition_tag(&other), 0x44494745);
	other.digest[0] ^= 0x80;
	assert_int_equal(edition_tag(&other), 0xc4494745);
}
