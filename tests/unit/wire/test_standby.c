/* SPDX-License-Identifier: ISC */
/* Standby: on the wire, hostile ones too, and as time passes. */
#include "tests/lib/codec.h"
#include "tests/unit/group.h"

#include <string.h>

#include "common/wire/standby.h"

static const struct standby sample = {
	.is_on = true,
	.age = 0x102 * MSEC,
	.left = 0x304 * MSEC,
	.reason = "H\xc3\xb6"
		  "fe",
};

static const uint8_t golden[] = {
	0, 0, 0, 0, 0, 0, 0x01, 0x02, /* age */
	0, 0, 0, 0, 0, 0, 0x03, 0x04, /* left */
	'H', 0xc3, 0xb6, 'f', 'e',    /* reason */
};

CODEC(standby);

TEST(standby_is_encoded_like_this)
{
	const struct codec codec = CODEC_ROW(standby, sample, golden);

	codec_stands(&codec);
	codec_takes_what_it_says(&codec);
}

static bool
decodes(uint64_t age, uint64_t left, const char *reason, size_t size,
    struct standby *standby)
{
	uint8_t bytes[STANDBY_BYTES + 2 * STANDBY_REASON_MAX];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct reader r;

	write_u64(&w, age);
	write_u64(&w, left);
	write_bytes(&w, reason, size);
	assert_false(w.failed);
	r = reader_of(bytes, w.size);
	return standby_decode(&r, standby) && reader_at_end(&r);
}

TEST(times_out_of_range_are_refused)
{
	const uint64_t most = STANDBY_MAX / MSEC;
	struct standby s;

	assert_true(decodes(0, 0, "", 0, &s));
	assert_true(s.left == NSEC_NEVER);
	assert_true(decodes(most, most, "", 0, &s));
	assert_true(s.age == STANDBY_MAX);
	assert_true(s.left == STANDBY_MAX);
	assert_false(decodes(most + 1, 0, "", 0, &s));
	assert_false(decodes(0, most + 1, "", 0, &s));
	assert_false(decodes(UINT64_MAX, 0, "", 0, &s));
}

TEST(standby_cut_short_is_refused)
{
	for (size_t size = 0; size < STANDBY_BYTES; size++) {
		struct reader r = reader_of(golden, size);
		struct standby s;

		assert_false(standby_decode(&r, &s));
	}
}

TEST(reason_has_so_many_bytes_at_most)
{
	char text[STANDBY_REASON_MAX + 1];
	struct standby s;

	memset(text, 'x', sizeof(text));
	assert_true(decodes(0, 0, text, STANDBY_REASON_MAX, &s));
	assert_int_equal(strlen(s.reason), STANDBY_REASON_MAX);
	assert_false(decodes(0, 0, text, STANDBY_REASON_MAX + 1, &s));
}

TEST(reason_is_text_that_a_terminal_may_print)
{
	static const struct {
		const char *bytes;
		bool is_right;
	} rows[] = {
		{ " ~", true },
		{ "\xc2\xa0\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf", true },
		{ "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", true },
		{ "\x1b[2J", false }, { "a\nb", false }, { "\x7f", false },
		{ "\xc2\x80", false },         /* a control character */
		{ "\xc2\x9f", false },         /* the last of these */
		{ "\x80", false },             /* begins no sequence */
		{ "\xf8\x88\x80\x80", false }, /* nor does this */
		{ "\xc3", false },             /* the end is missing */
		{ "\xc3x", false },
		{ "\xc1\x81", false },         /* there is a shorter form */
		{ "\xe0\x9f\xbf", false },     /* likewise */
		{ "\xf0\x8f\xbf\xbf", false }, /* likewise */
		{ "\xed\xa0\x80", false },     /* half a pair */
		{ "\xed\xbf\xbf", false },     /* the other half */
		{ "\xf4\x90\x80\x80", false }, /* beyond the last one */
	};
	struct standby s;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
		    decodes(0, 0, rows[i].bytes, strlen(rows[i].bytes), &s),
		    rows[i].is_right);
	assert_false(decodes(0, 0, "a\0b", 3, &s));
}

/* What is left is never told as nothing, which would mean: without an end. */
TEST(the_last_part_of_a_millisecond_is_a_whole_one)
{
	struct standby s = { .is_on = true, .age = MSEC - 1, .left = 1 };
	uint8_t bytes[STANDBY_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct reader r = reader_of(bytes, sizeof(bytes));

	standby_encode(&w, &s);
	assert_true(standby_decode(&r, &s));
	assert_true(s.age == 0);
	assert_true(s.left == MSEC);
}

TEST(standby_grows_old_and_ends)
{
	struct standby s = standby_later(&sample, 10 * SEC, 10 * SEC + MSEC);

	assert_true(s.is_on);
	assert_true(s.age == sample.age + MSEC);
	assert_true(s.left == sample.left - MSEC);
	assert_string_equal(s.reason, sample.reason);
	assert_true(standby_later(&sample, SEC, SEC + sample.left - 1).is_on);
	assert_false(standby_later(&sample, SEC, SEC + sample.left).is_on);
	assert_false(standby_later(&sample, 0, NSEC_NEVER).is_on);
	/* The clock was set back: all is left. */
	assert_true(standby_later(&sample, SEC, 0).left == sample.left);
}

TEST(standby_without_an_end_stays)
{
	const struct standby s = { .is_on = true, .left = NSEC_NEVER };
	const struct standby off = { .is_on = false };
	struct standby old = standby_later(&s, 0, NSEC_NEVER);

	assert_true(old.is_on);
	assert_true(old.left == NSEC_NEVER);
	assert_true(old.age == STANDBY_MAX);
	assert_false(standby_later(&off, 0, SEC).is_on);
}
