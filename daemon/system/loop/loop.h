/* SPDX-License-Identifier: ISC */
/*
 * The loop of the daemon: it waits for descriptors, signals and a timer, and
 * calls back. No other file knows the events of libevent.
 */
#ifndef ELECTD_DAEMON_SYSTEM_LOOP_LOOP_H
#define ELECTD_DAEMON_SYSTEM_LOOP_LOOP_H

#include <sys/queue.h>

#include "common/util/types.h"

/* The loop handles what the node waits for before what clients wait for. */
enum priority {
	PRIORITY_NODE,
	PRIORITY_CONTROL,
	PRIORITIES,
};

enum readiness {
	READY_FOR_NOTHING,
	READY_TO_READ,
	READY_TO_WRITE,
};

struct event_base;
struct watch; /* waits for a descriptor, a signal or a time */

struct loop {
	struct event_base *base;
	LIST_HEAD(, watch) watches;
};

typedef void watch_handler(void *context);

/* Makes the loop and sends libevent's messages to our log. Returns NULL if
 * there is no memory. */
struct loop *loop_new(void);

/* Handles events until loop_end(). Returns false if it cannot. */
bool loop_run(struct loop *loop);

/* Has the loop end after the handler that is running. */
void loop_end(struct loop *loop);

/*
 * Frees the loop and its watches. The signals that it watched stay blocked:
 * they must not end the process before it has cleaned up. NULL is harmless.
 */
void loop_free(struct loop *loop);

/*
 * Each of these makes a watch, which watch_free() or loop_free() frees. They
 * return NULL if there is no memory. Handlers may use, make and free any watch.
 */

/* Calls the handler while `fd` is ready to read. */
struct watch *watch_fd(struct loop *loop, enum priority priority, int fd,
    watch_handler *handler, void *context);

/* Calls the handler after each such signal. */
struct watch *watch_signal(struct loop *loop, enum priority priority,
    int signal, watch_handler *handler, void *context);

/* Calls the handler once after each watch_set_time(). */
struct watch *watch_timer(struct loop *loop, enum priority priority,
    watch_handler *handler, void *context);

/* Sets how soon to call the handler of a timer; NSEC_NEVER: not at all. */
void watch_set_time(struct watch *watch, nsec_t within);

/* From now on waits for `fd`, which may be another than before, to be ready. */
void watch_set_fd(struct watch *watch, int fd, enum readiness readiness);

/* Has the loop call the handler once, in a turn of its own. */
void watch_call(struct watch *watch);

/* Call this before the descriptor is closed. NULL is harmless. */
void watch_free(struct watch *watch);

#endif
