/* SPDX-License-Identifier: ISC */
/* One clock for all; its moments in terms of two others. */
#include "tests/unit/group.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "daemon/system/clock.h"

#define LAX (100 * MSEC) /* a stop between two readings */

static nsec_t
read_clock(clockid_t id)
{
	struct timespec ts;

	assert_int_equal(clock_gettime(id, &ts), 0);
	return (nsec_t)ts.tv_sec * SEC + (nsec_t)ts.tv_nsec;
}

/* Gives the milliseconds since 1970 of the text that clock_utc() writes. */
static uint64_t
parse_utc(const char *text)
{
	struct tm tm = { 0 };
	unsigned msec = 0;
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

	assert_non_null(rest);
	assert_int_equal(sscanf(rest, ".%3uZ", &msec), 1);
	assert_int_equal(strlen(rest), 5);
	return (uint64_t)timegm(&tm) * 1000 + msec;
}

TEST(clock_never_goes_back)
{
	nsec_t last = clock_now();

	for (int i = 0; i < 10000; i++) {
		nsec_t now = clock_now();
		assert_true(now >= last);
		last = now;
	}
}

TEST(now_is_the_time_since_boot)
{
	nsec_t before = read_clock(CLOCK_BOOTTIME);
	nsec_t now = clock_now();

	assert_true(before <= now);
	assert_true(now <= read_clock(CLOCK_BOOTTIME));
}

TEST(monotonic_keeps_distances)
{
	nsec_t now = clock_now();
	nsec_t there = clock_monotonic(now);
	nsec_t later = clock_monotonic(now + 5 * SEC);
	nsec_t right = read_clock(CLOCK_MONOTONIC);

	assert_in_range(right - there, 0, LAX);
	assert_in_range(later - there, 5 * SEC - LAX, 5 * SEC + LAX);
}

TEST(moments_before_all_clocks_are_their_beginning)
{
	nsec_t monotonic = read_clock(CLOCK_MONOTONIC);
	nsec_t ahead = read_clock(CLOCK_BOOTTIME) - monotonic;

	assert_true(clock_monotonic(0) <= LAX);
	assert_true(clock_monotonic(ahead) <= LAX);
}

TEST(utc_is_right_to_the_millisecond)
{
	char text[CLOCK_TEXT_MAX];
	uint64_t told = parse_utc(clock_utc(clock_now(), text));
	uint64_t right = read_clock(CLOCK_REALTIME) / MSEC;

	assert_in_range(right - told, 0, LAX / MSEC);
}

TEST(utc_tells_past_and_future)
{
	char text[CLOCK_TEXT_MAX];
	nsec_t now = clock_now();
	uint64_t today = parse_utc(clock_utc(now, text));
	uint64_t later = parse_utc(clock_utc(now + 86400 * SEC, text));

	assert_in_range(later - today, 86399900, 86400100);
}

/* No moment of the clock, however wrong, writes past the text. */
TEST(utc_of_a_moment_without_a_date_is_short)
{
	char text[CLOCK_TEXT_MAX];

	clock_utc(NSEC_NEVER, text);
	assert_in_range(strlen(text), 1, CLOCK_TEXT_MAX - 1);
}
