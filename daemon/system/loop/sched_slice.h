/* SPDX-License-Identifier: ISC */
/*
 * The scheduler's time slice of this thread. A thread with a shorter slice gets
 * the same share of a busy core but gets it sooner when it wakes up (Linux
 * 6.12). That suits electd, which answers in microseconds and then waits.
 */
#ifndef ELECTD_DAEMON_SYSTEM_LOOP_SCHED_SLICE_H
#define ELECTD_DAEMON_SYSTEM_LOOP_SCHED_SLICE_H

/* Sets the calling thread's slice to the shortest that the kernel has. Does
 * nothing where the kernel refuses. Preserves errno. */
void sched_slice_shorten(void);

#endif
