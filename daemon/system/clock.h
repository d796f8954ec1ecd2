/* SPDX-License-Identifier: ISC */
/* The only place that reads a clock. */
#ifndef ELECTD_DAEMON_SYSTEM_CLOCK_H
#define ELECTD_DAEMON_SYSTEM_CLOCK_H

#include <time.h>

#include "common/util/types.h"

/* CLOCK_BOOTTIME: goes on while the host is suspended. */
nsec_t clock_now(void);

/* CLOCK_REALTIME, which the kernel stamps datagrams with: it may be set. */
nsec_t clock_wall(void);

/* A moment of any clock, for a timer; never zero, which would disarm it. */
struct timespec clock_timespec(nsec_t at);

/* A moment of clock_now()'s on CLOCK_MONOTONIC, by their present difference. */
nsec_t clock_monotonic(nsec_t boot);

#define CLOCK_TEXT_MAX 32 /* "2026-11-20T12:03:07.431Z" and its end */

/* The same moment as UTC, to the millisecond, in ISO 8601; gives `text`. */
const char *clock_utc(nsec_t boot, char text[CLOCK_TEXT_MAX]);

#endif
