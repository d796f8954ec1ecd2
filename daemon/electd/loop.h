/* SPDX-License-Identifier: ISC */
/* Set-up of the libevent loop, and of the node's own events in it. */
#ifndef ELECTD_DAEMON_ELECTD_LOOP_H
#define ELECTD_DAEMON_ELECTD_LOOP_H

#include <stdbool.h>

#include <event2/event.h>

/* The loop handles the node's own events before those of clients. */
enum priority {
	PRIORITY_NODE,
	PRIORITY_CONTROL,
	PRIORITIES,
};

/*
 * Makes the loop and sends libevent's messages to our log. The caller frees the
 * loop by event_base_free(). Returns NULL if there is no memory.
 */
struct event_base *loop_new(void);

/* Adds an event at PRIORITY_NODE. Returns false if that fails, or if `event` is
 * NULL because it could not be made. */
bool loop_add(struct event *event);
void loop_drop(struct event *event); /* NULL is harmless */

/* Blocks SIGTERM, SIGINT and SIGHUP. Call this before the signal events are
 * freed: a signal after that would end the process before it has cleaned up. */
void loop_block_signals(void);

#endif
