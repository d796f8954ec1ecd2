/* SPDX-License-Identifier: ISC */
/* Configurations, and the frames that bear them, byte for byte. */
#include "tests/lib/codec.h"
#include "tests/unit/group.h"

#include <stddef.h>
#include <string.h>

#include "common/wire/config_id.h"

#define DIGEST "DIGESTdigest0123"

static const struct config_id config_id = {
	.config_term = UINT64_C(0x3132333435363738),
	.config_version = 0x1020,
	.revision = 0x30405060,
	.digest = DIGEST,
};
static const uint8_t golden_config_id[] =
    "12345678\0\0\x10\x20\x30\x40\x50\x60" DIGEST;

static const struct config_advert told = {
	.config_id = { .config_term = TERM_MAX,
	    .config_version = CONFIG_VERSION_MAX,
	    .revision = REVISION_MAX,
	    .digest = DIGEST },
	.size = 0x010203,
};
static const uint8_t golden_told[] =
    "\x7f\xff\xff\xff\xff\xff\xff\xff\x00\x0f\x42\x40\x7f\xff\xff\xff" DIGEST
    "\x00\x01\x02\x03";

static const struct config_ask ask = { 0x44494745, 0x010203 };
static const uint8_t golden_ask[CONFIG_ASK_BYTES] = "DIGE\x00\x01\x02\x03";

static const struct config_piece piece = {
	.tag = 0x44494745,
	.offset = 0x010203,
	.size = 5,
	.bytes = (const uint8_t *)"piece",
};
static const uint8_t golden_piece[] = "DIGE\x00\x01\x02\x03"
				      "piece";

CODEC(config_id);
CODEC(config_advert);
CODEC(config_ask);
CODEC(config_piece);

/* As CODEC_ROW(), of a string without its end. */
#define TEXT_ROW(NAME, value, golden)                                          \
	{                                                                      \
#NAME, codec_encode_##NAME, codec_decode_##NAME, &(value),     \
		    golden, sizeof(golden) - 1                                 \
	}

static const struct codec codecs[] = {
	TEXT_ROW(config_id, config_id, golden_config_id),
	TEXT_ROW(config_advert, told, golden_told),
	CODEC_ROW(config_ask, ask, golden_ask),
};
#define CODECS (sizeof(codecs) / sizeof(codecs[0]))

static const struct codec piece_codec =
    TEXT_ROW(config_piece, piece, golden_piece);

TEST(configs_are_encoded_like_this)
{
	assert_int_equal(sizeof(golden_config_id) - 1, CONFIG_ID_BYTES);
	assert_int_equal(sizeof(golden_told) - 1, CONFIG_ADVERT_BYTES);
	codecs_stand(codecs, CODECS);
}

/* All that follows the offset is the piece, and there is some. */
TEST(a_piece_is_encoded_like_this_and_takes_all_the_rest)
{
	codec_stands(&piece_codec);
	codec_takes_what_it_says(&piece_codec);
	for (size_t size = 0; size < sizeof(golden_piece); size++) {
		struct reader r = reader_of(golden_piece, size);
		struct config_piece p;
		bool ok = config_piece_decode(&r, &p);

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
		struct config_piece p;

		assert_int_equal(config_piece_decode(&r, &p), extra == 0);
	}
}

static const struct codec *const config_id_codec = &codecs[0];
static const struct codec *const told_codec = &codecs[1];
static const struct codec *const ask_codec = &codecs[2];

TEST(values_out_of_range_are_refused)
{
	const struct codec_row rows[] = {
		{ config_id_codec, 0, 4, 0, true },
		{ config_id_codec, 0, 4, TERM_MAX >> 32, true },
		{ config_id_codec, 0, 4, 1u << 31, false },
		{ config_id_codec, 0, 4, UINT32_MAX, false },
		{ config_id_codec, 8, 4, 0, true },
		{ config_id_codec, 8, 4, CONFIG_VERSION_MAX, true },
		{ config_id_codec, 8, 4, CONFIG_VERSION_MAX + 1u, false },
		{ config_id_codec, 8, 4, UINT32_MAX, false },
		{ config_id_codec, 12, 4, 0, true },
		{ config_id_codec, 12, 4, REVISION_MAX, true },
		{ config_id_codec, 12, 4, REVISION_MAX + 1u, false },
		{ told_codec, 0, 4, 1u << 31, false },
		{ told_codec, 8, 4, CONFIG_VERSION_MAX + 1u, false },
		{ told_codec, 12, 4, REVISION_MAX + 1u, false },
		{ told_codec, CONFIG_ID_BYTES, 4, 0, true },
		{ told_codec, CONFIG_ID_BYTES, 4, 1, true },
		{ told_codec, CONFIG_ID_BYTES, 4, DOCUMENT_MAX, true },
		{ told_codec, CONFIG_ID_BYTES, 4, DOCUMENT_MAX + 1, false },
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
assert_later(const struct config_id *a, const struct config_id *b)
{
	assert_true(config_id_compare(a, b) > 0);
	assert_true(config_id_compare(b, a) < 0);
}

TEST(config_term_decides_then_config_version_then_revision_then_digest)
{
	struct config_id a = config_id, b = config_id;

	assert_true(config_id_equal(&a, &b));
	b.digest[SALT_BYTES - 1]++;
	assert_later(&b, &a);
	a.digest[0] = 0xff;
	assert_later(&a, &b);
	b.revision++;
	assert_later(&b, &a);
	a.revision = REVISION_MAX;
	assert_later(&a, &b);
	b.config_version++;
	assert_later(&b, &a);
	a.config_version = CONFIG_VERSION_MAX;
	assert_later(&a, &b);
	b.config_term++;
	assert_later(&b, &a);
	assert_false(config_id_equal(&a, &b));
	a.config_term = TERM_MAX;
	assert_later(&a, &b);
}

/* A list that came meanwhile has nodes that a proposal of before lacks. */
TEST(proposal_that_follows_an_earlier_list_replaces_nothing)
{
	struct config_id now = config_id, next = config_id;

	assert_false(config_id_may_replace(&next, &now));
	next.revision++;
	assert_true(config_id_may_replace(&next, &now));
	now.revision += 2;
	next.config_version++;
	assert_true(config_id_is_newer(&next, &now));
	assert_false(config_id_may_replace(&next, &now));
	next.revision = now.revision;
	assert_true(config_id_may_replace(&next, &now));
}

/* Readers of JSON take no term of 2^53 or more. */
TEST(the_first_terms_rise_with_the_config_version)
{
	struct config_id e = config_id;

	e.config_version = 0;
	assert_true(config_id_floor(&e) == 0);
	e.config_version = 3;
	assert_true(config_id_floor(&e) == 3 * CONFIG_VERSION_TERMS);
	e.config_version = CONFIG_VERSION_MAX;
	assert_true(
	    config_id_floor(&e) + CONFIG_VERSION_TERMS < UINT64_C(1) << 53);
}

TEST(the_tag_is_the_beginning_of_the_digest)
{
	struct config_id other = config_id;

	assert_int_equal(config_tag(&config_id), 0x44494745);
	other.config_version++;
	assert_int_equal(config_tag(&other), 0x44494745);
	other.digest[0] ^= 0x80;
	assert_int_equal(config_tag(&other), 0xc4494745);
}
