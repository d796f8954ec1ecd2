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
	codecs_stand(codecs, CODECS);
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

static const struct codec *const edition_codec = &codecs[0];
static const struct codec *const told_codec = &codecs[1];
static const struct codec *const ask_codec = &codecs[2];

TEST(values_out_of_range_are_refused)
{
	const struct codec_row rows[] = {
		{ edition_codec, 0, 4, 0, true },
		{ edition_codec, 0, 4, TERM_MAX >> 32, true },
		{ edition_codec, 0, 4, 1u << 31, false },
		{ edition_codec, 0, 4, UINT32_MAX, false },
		{ edition_codec, 8, 4, 0, true },
		{ edition_codec, 8, 4, GENERATION_MAX, true },
		{ edition_codec, 8, 4, GENERATION_MAX + 1u, false },
		{ edition_codec, 8, 4, UINT32_MAX, false },
		{ told_codec, 0, 4, 1u << 31, false },
		{ told_codec, 8, 4, GENERATION_MAX + 1u, false },
		{ told_codec, EDITION_BYTES, 4, 0, true },
		{ told_codec, EDITION_BYTES, 4, 1, true },
		{ told_codec, EDITION_BYTES, 4, DOCUMENT_MAX, true },
		{ told_codec, EDITION_BYTES, 4, DOCUMENT_MAX + 1, false },
		{ ask_codec, 0, 4, UINT32_MAX, true },
		{ ask_codec, 4, 4, DOCUMENT_MAX - 1, true },
		{ ask_codec, 4, 4, DOCUMENT_MAX, false },
		{ &piece_codec, 0, 4, UINT32_MAX, true },
		{ &piece_codec, 4, 4, DOCUMENT_MAX - 1, true },
		{ &piece_codec, 4, 4, DOCUMENT_MAX, false },
	};

	codec_rows_stand(rows, sizeof(rows) / sizeof(rows[0]));
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
