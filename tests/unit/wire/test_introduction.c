/* SPDX-License-Identifier: ISC */
/* Introductions, byte for byte. */
#include "tests/lib/codec.h"
#include "tests/unit/group.h"

#include <string.h>

#include "common/wire/introduction.h"

#define NAME  "web1"
#define ZEROS "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

static const struct introduction introduction = {
	.challenge = "CHALLENGEchallen",
	.echo = "ECHOechoECHOecho",
	.instance = "INSTANCEinstance",
	.edition = { .stamp = 0,
	    .generation = 0x1020,
	    .digest = "DIGESTdigest0123" },
	.priority = -2,
	.role = 1,
	.asks = true,
	.name = NAME,
};
/* The name has 63 bytes. */
static const uint8_t golden[] =
    "CHALLENGEchallenECHOechoECHOechoINSTANCEinstance\0\0\0\0\0\0\0\0"
    "\0\0\x10\x20"
    "DIGESTdigest0123\xff\xff\xff\xfe\x01\x02\x04" NAME ZEROS ZEROS ZEROS
    "\0\0";

CODEC(introduction);

static const struct codec codec = { "introduction", codec_encode_introduction,
	codec_decode_introduction, &introduction, golden, sizeof(golden) - 1 };

TEST(introductions_are_encoded_like_this)
{
	assert_int_equal(sizeof(golden) - 1, INTRODUCTION_SEALED_BYTES);
	codec_stands(&codec);
	codec_refuses_cuts(&codec);
	codec_leaves_the_rest(&codec);
	codec_takes_what_it_says(&codec);
}

/* Decodes the golden bytes with another one at an offset. */
static bool
decodes_with(size_t at, uint8_t byte)
{
	uint8_t bytes[INTRODUCTION_SEALED_BYTES] = { 0 };
	struct reader r = reader_of(bytes, sizeof(bytes));
	struct introduction i;

	memcpy(bytes, golden, sizeof(bytes));
	bytes[at] = byte;
	return introduction_decode(&r, &i);
}

TEST(what_no_node_says_is_refused)
{
	enum {
		ROLE = 80,
		BITS,
		SIZE,
		NAMED,
	};

	assert_true(decodes_with(ROLE, 2));
	assert_false(decodes_with(ROLE, INTRODUCTION_ROLES));
	assert_true(decodes_with(BITS, 7));
	assert_false(decodes_with(BITS, 8));
	assert_false(decodes_with(SIZE, 0));
	assert_false(decodes_with(SIZE, 5));
	assert_false(decodes_with(SIZE, 64));
	assert_true(decodes_with(NAMED, 'W'));
	assert_false(decodes_with(NAMED + 1, '\0'));
	assert_false(decodes_with(NAMED + 5, 'x'));
	assert_false(decodes_with(INTRODUCTION_SEALED_BYTES - 1, 'x'));
}
