/* SPDX-License-Identifier: ISC */
#include "daemon/system/clock.h"

#include <stdatomic.h>
#include <stdio.h>

#define BRACKET_MAX (20 * USEC) /* readings further apart were interrupted */
#define TRIES_MAX   4           /* after these the last reading is used */
#define SUSPEND_MIN MSEC        /* above any reading's error, below a suspend */

static nsec_t
clock_read(clockid_t id)
{
	struct timespec ts;
	int status = clock_gettime(id, &ts);

	assert(status == 0);
	assert(ts.tv_sec >= 0);
	return (nsec_t)ts.tv_sec * SEC + (nsec_t)ts.tv_nsec;
}

nsec_t
clock_now(void)
{
	return clock_read(CLOCK_BOOTTIME);
}

nsec_t
clock_wall(void)
{
	return clock_read(CLOCK_REALTIME);
}

struct timespec
clock_timespec(nsec_t at)
{
	return (struct timespec){
		.tv_sec = (time_t)(at / SEC),
		.tv_nsec = at == 0 ? 1 : (long)(at % SEC),
	};
}

/*
 * Converts a time of CLOCK_BOOTTIME to the clock `id`. Reads that clock between
 * two readings of CLOCK_BOOTTIME; if these are far apart, we were interrupted,
 * and it tries again.
 */
static nsec_t
clock_convert(nsec_t boot, clockid_t id)
{
	nsec_t before, there, after, here;
	int tries = 0;

	do {
		before = clock_now();
		there = clock_read(id);
		after = clock_now();
	} while (after - before > BRACKET_MAX && ++tries < TRIES_MAX);
	here = before + (after - before) / 2;
	if (boot >= here)
		return nsec_after(there, boot - here);
	return nsec_since(there, here - boot);
}

/*
 * How far CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC. Only a suspend changes
 * that. The distance is measured each time, but the first result stays while it
 * differs by less than SUSPEND_MIN, so that measurement errors never reorder
 * two times. The result is static, as the clocks are the host's, and the times
 * of all threads must be in one order.
 */
static nsec_t
clock_suspended(void)
{
	static _Atomic nsec_t kept;
	nsec_t now = clock_now();
	nsec_t measured = nsec_since(now, clock_convert(now, CLOCK_MONOTONIC));
	nsec_t before = atomic_load(&kept);

	if (nsec_since(measured, before) <= SUSPEND_MIN &&
	    nsec_since(before, measured) <= SUSPEND_MIN)
		return before;
	atomic_store(&kept, measured);
	return measured;
}

nsec_t
clock_epoch(void)
{
	nsec_t now = clock_now();

	return nsec_since(clock_convert(now, CLOCK_REALTIME), now);
}

nsec_t
clock_monotonic(nsec_t boot)
{
	return nsec_since(boot, clock_suspended());
}

const char *
clock_utc_text(nsec_t wall, char text[CLOCK_TEXT_MAX])
{
	time_t seconds = (time_t)(wall / SEC);
	struct tm tm = { .tm_mday = 1 };
	char day[sizeof("2026-11-20T12:03:07")];

	gmtime_r(&seconds, &tm);
	if (strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
		day[0] = '\0'; /* past the year 9999 */
	snprintf(text, CLOCK_TEXT_MAX, "%s.%03uZ", day,
	    (unsigned)(wall / MSEC % 1000));
	return text;
}

const char *
clock_utc(nsec_t boot, char text[CLOCK_TEXT_MAX])
{
	return clock_utc_text(clock_convert(boot, CLOCK_REALTIME), text);
}
