/* SPDX-License-Identifier: ISC */
/* The event loop itself: what libevent is told before it runs. */
#ifndef ELECTD_DAEMON_ELECTD_BASE_H
#define ELECTD_DAEMON_ELECTD_BASE_H

#include <stdbool.h>

#include <event2/event.h>

/* The node's own events come before any client's. */
enum priority {
	PRIORITY_NODE,
	PRIORITY_CONTROL,
	PRIORITIES,
};

/* Gives NULL if that cannot be. What libevent has to say goes to the log. */
struct event_base *base_new(void);

/* An event of the node's own; false, if that cannot be or there is none. */
bool base_add(struct event *event);
void base_drop(struct event *event); /* NULL is harmless */

/* For the end: a signal that comes then would find nobody who takes it, and
 * spoil it. */
void base_block_signals(void);

#endif
