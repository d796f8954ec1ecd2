/* SPDX-License-Identifier: ISC */
/* Announcements, byte for byte. */
#include "tests/lib/codec.h"
#include "tests/unit/group.h"

#include "common/wire/announce.h"

#define NAME  "web1"
#define ZEROS "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

static const struct announce announce = {
	.challenge = "CHALLENGEchallen",
	.echo = "ECHOechoECHOecho",
	.instance = "INSTANCEinstance",
	.config_id = { .config_term = 0,
	    .config_version = 0x1020,
	    .revision = 0x30405060,
	    .digest = "DIGESTdigest0123" },
	.priority = -2,
	.role = 1,
	.asks = true,
	.name = NAME,
};
/* The name has 63 bytes. */
static const uint8_t golden[] =
    "CHALLENGEchallenECHOechoECHOechoINSTANCEinstance\0\0\0\0\0\0\0\0"
    "\0\0\x10\x20\x30\x40\x50\x60"
    "DIGESTdigest0123\xff\xff\xff\xfe\x01\x02\x04" NAME ZEROS ZEROS ZEROS
    "\0\0";

CODEC(announce);

static const struct codec codec = { "announce", codec_encode_announce,
	codec_decode_announce, &announce, golden, sizeof(golden) - 1 };

TEST(announcements_are_encoded_like_this)
{
	assert_int_equal(sizeof(golden) - 1, ANNOUNCE_SEALED_BYTES);
	codecs_stand(&codec, 1);
}

TEST(impossible_announce_is_refused)
{
	enum {
		ROLE = 84,
		BITS,
		SIZE,
		NAMED,
	};

	static const struct codec_row rows[] = {
		{ &codec, ROLE, 1, 2, true },
		{ &codec, ROLE, 1, ANNOUNCE_ROLES, false },
		{ &codec, BITS, 1, 7, true },
		{ &codec, BITS, 1, 8, false },
		{ &codec, SIZE, 1, 0, false },
		{ &codec, SIZE, 1, 5, false },
		{ &codec, SIZE, 1, 64, false },
		{ &codec, NAMED, 1, 'W', true },
		{ &codec, NAMED + 1, 1, '\0', false },
		{ &codec, NAMED + 5, 1, 'x', false },
		{ &codec, ANNOUNCE_SEALED_BYTES - 1, 1, 'x', false },
	};

	codec_rows_stand(rows, sizeof(rows) / sizeof(rows[0]));
}
