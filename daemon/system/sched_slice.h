/* SPDX-License-Identifier: ISC */
/*
 * How long this thread runs at a time, where others want the core too. Whoever
 * asks for less gets no more and no less of it, but gets it sooner when it
 * wakes up (Linux 6.12): for what is answered in microseconds and then waits.
 */
#ifndef ELECTD_DAEMON_SYSTEM_SCHED_SLICE_H
#define ELECTD_DAEMON_SYSTEM_SCHED_SLICE_H

/* The shortest that there is, for this thread; where it is refused, or not
 * known, everything is as it was. It leaves errno as it is. */
void sched_slice_shorten(void);

#endif
