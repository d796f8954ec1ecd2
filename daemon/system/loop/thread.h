/* SPDX-License-Identifier: ISC */
/* Threads beside the loop, for calls that block. */
#ifndef ELECTD_DAEMON_SYSTEM_LOOP_THREAD_H
#define ELECTD_DAEMON_SYSTEM_LOOP_THREAD_H

#include <pthread.h>

/*
 * Starts a thread with all signals blocked, so that the loop gets them. It is
 * an ordinary thread, also if the loop is scheduled otherwise (realtime.h).
 * Returns 0, or a negative errno after logging the error.
 */
int thread_start(
    pthread_t *thread, size_t stack_bytes, void *(*run)(void *), void *context);

#endif
