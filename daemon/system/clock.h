/* SPDX-License-Identifier: ISC */
/* The clocks, as the daemon and its clients read and convert them. */
#ifndef ELECTD_DAEMON_SYSTEM_CLOCK_H
#define ELECTD_DAEMON_SYSTEM_CLOCK_H

#include <time.h>

#include "common/util/types.h"

/* CLOCK_BOOTTIME, which also counts the time that the host is suspended. */
nsec_t clock_now(void);

/* CLOCK_REALTIME, by which the kernel timestamps datagrams. It may be set
 * back. */
nsec_t clock_wall(void);

/* Converts a time of any clock for a timer. The result is never zero, because
 * zero would disarm the timer. */
struct timespec clock_timespec(nsec_t at);

/* Converts a time of clock_now() to CLOCK_MONOTONIC by their present
 * difference. Any thread may call this. */
nsec_t clock_monotonic(nsec_t boot);

/* The time of CLOCK_REALTIME when clock_now() was 0, by the present difference
 * of the clocks; 0 if that was before 1970. */
nsec_t clock_epoch(void);

#define CLOCK_TEXT_MAX 32 /* "2026-11-20T12:03:07.431Z" and its end */

/* Writes a time since 1970 as UTC in ISO 8601, to the millisecond. Returns
 * `text`. */
const char *clock_utc_text(nsec_t wall, char text[CLOCK_TEXT_MAX]);

/* Writes a time of clock_now() likewise. Returns `text`. */
const char *clock_utc(nsec_t boot, char text[CLOCK_TEXT_MAX]);

#endif
