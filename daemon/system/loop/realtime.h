/* SPDX-License-Identifier: ISC */
/*
 * The setting `realtime`: this thread runs before all ordinary processes, and
 * all memory is locked. Each part that is not permitted is logged and left out,
 * because electd is correct without it.
 */
#ifndef ELECTD_DAEMON_SYSTEM_LOOP_REALTIME_H
#define ELECTD_DAEMON_SYSTEM_LOOP_REALTIME_H

#include <stdbool.h>

#include "common/util/types.h"

/*
 * The priority of SCHED_RR is one above the lowest, which other programs choose
 * that only want to run before ordinary processes, and far below the kernel's
 * interrupt threads, at 50 and more.
 */
#define REALTIME_PRIORITY 2

/*
 * A thread that runs for this long without waiting becomes an ordinary one
 * (RLIMIT_RTTIME). So neither a flood nor a bug of ours stops the host.
 */
#define REALTIME_RUN_MAX (200 * MSEC)

/*
 * Makes the calling thread real-time (SCHED_RR), and with it the threads and
 * processes that it starts from now on. Returns true if all memory is locked,
 * now and in future.
 */
bool realtime_begin(void);

#define REALTIME_PAUSE (60 * SEC) /* the shortest time as an ordinary thread */

/*
 * Makes the thread real-time again once REALTIME_PAUSE has passed since it was
 * made an ordinary one. Call this in every turn of the loop. Without
 * realtime_begin() it does nothing.
 */
void realtime_tend(nsec_t now);

#endif
