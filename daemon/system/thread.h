/* SPDX-License-Identifier: ISC */
/* Threads beside the loop's, for what makes its caller wait. */
#ifndef ELECTD_DAEMON_SYSTEM_THREAD_H
#define ELECTD_DAEMON_SYSTEM_THREAD_H

#include <pthread.h>

/*
 * Starts a thread that takes no signals: those are for the loop. Gives 0 or a
 * negative errno, which has been logged.
 */
int thread_start(
    pthread_t *thread, size_t stack_bytes, void *(*run)(void *), void *context);

#endif
