/* SPDX-License-Identifier: ISC */
/*
 * A connection to the daemon: sends and receives lines, with a time limit. What
 * comes is not trusted: a line has a maximum.
 */
#ifndef ELECTD_DAEMON_LIBELECTD_CONNECTION_H
#define ELECTD_DAEMON_LIBELECTD_CONNECTION_H

#include "common/util/types.h"
#include "daemon/libelectd/electd.h"

struct connection {
	int fd;
	int timer;        /* readable once the time limit is over; -1: none */
	bool never_waits; /* what has not come is too late */
	char *buffer;     /* what was received */
	size_t size;      /* bytes received */
	size_t taken;     /* bytes of these that were returned as lines */
	size_t capacity;  /* bytes of the buffer */
	int file;         /* file that came with an answer; -1: none */
	int output;       /* our own, which may lose its reader; -1: none */
};

/* A connection that is none. */
#define CONNECTION_NONE                                                        \
	((struct connection){ .fd = -1, .timer = -1, .file = -1, .output = -1 })

/*
 * Connects. `timeout` (NSEC_NEVER: none) limits this, and from now on what is
 * sent and received; 0: nothing waits. Gives 0, or an errno; EAGAIN: the time
 * is over.
 */
int connection_try(
    struct connection *connection, const char *path, nsec_t timeout);

/* As electd_limit(). */
bool connection_limit(struct connection *connection, nsec_t timeout);

/* Disconnects. */
void connection_close(struct connection *connection);

/* As electd_send(). */
bool connection_send(struct connection *connection, const char *line);

/* As electd_receive(). */
enum electd_received connection_receive(
    struct connection *connection, const char **line);

/* True if the time limit is over. */
bool connection_is_late(const struct connection *connection);

#endif
