/* SPDX-License-Identifier: ISC */
/*
 * The setting `realtime`: this thread runs before all ordinary processes, and
 * nothing of this process waits for a disk to bring its memory back. What is
 * not permitted is logged and left out: it takes no privilege to be correct.
 */
#ifndef ELECTD_DAEMON_SYSTEM_REALTIME_H
#define ELECTD_DAEMON_SYSTEM_REALTIME_H

#include <stdbool.h>

#include "common/util/types.h"

/*
 * For the calling thread, and for the threads and processes that it starts from
 * now on. One that runs for REALTIME_RUN_MAX without waiting for anything is
 * made an ordinary one: whatever it is busy with, be it a flood or a mistake,
 * the host does not stand still for it.
 */
#define REALTIME_RUN_MAX (200 * MSEC)

/* Is all memory locked now, and will be? */
bool realtime_begin(void);

/*
 * To be called again and again: once REALTIME_PAUSE has passed since then it
 * runs first again. Does nothing if it was not begun.
 */
#define REALTIME_PAUSE (60 * SEC)
void realtime_tend(nsec_t now);

#endif
