/* SPDX-License-Identifier: ISC */
/*
 * The parts that every client of electd needs. The declarations stand under the
 * file that defines them; lead_watch.h has more.
 */
#ifndef ELECTD_DAEMON_CLIENT_CLIENT_H
#define ELECTD_DAEMON_CLIENT_CLIENT_H

#include <jansson.h>
#include <string.h>

#include "common/util/types.h"
#include "daemon/control/protocol/control_protocol.h"

/* The members of an answer. */

/* The member, which belongs to `object`; NULL if there is none. */
static inline const json_t *
field(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

/* True if the member is this text. */
static inline bool
is_word(const json_t *object, const char *key, const char *word)
{
	const char *text = json_string_value(field(object, key));

	return text != NULL && strcmp(text, word) == 0;
}

/* complain.c: messages on stderr. */

/* Names this program in its messages, "electctl" if nothing else; borrows
 * it. */
void complain_as(const char *name);

/* Prints "electctl: ..." on stderr, made plain. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Keeps the latest message from now on, instead of printing it. */
void complain_hold(void);

/* Gives that message, or NULL, and prints messages again. */
const char *complain_held(void);

/* connection.c: a connection to the daemon, with a time limit. */

enum received {
	RECEIVED_LINE,
	RECEIVED_END,       /* the daemon has gone */
	RECEIVED_TOO_LATE,  /* the time limit is over */
	RECEIVED_NO_READER, /* nobody reads our own output any more */
};

struct connection {
	int fd;
	int timer;       /* readable once the time limit is over; -1: none */
	char *buffer;    /* what was received */
	size_t size;     /* bytes received */
	size_t taken;    /* bytes of these that were returned as lines */
	size_t capacity; /* bytes of the buffer */
	int file;        /* file that came with an answer; -1: none */
	bool ignores_output; /* our own output may have no reader */
};

/*
 * Connects. `timeout` (NSEC_NEVER: none; not 0) limits this, and from now on
 * what is sent and received. Gives 0, or an errno; EAGAIN: the time is over.
 */
int connection_try(
    struct connection *connection, const char *path, nsec_t timeout);

/*
 * Sets the limit for what is received, from now on; NSEC_NEVER: none. False
 * with errno if that fails.
 */
bool connection_limit(struct connection *connection, nsec_t timeout);

/* Complains about an error of connection_try(), and gives the exit status. */
enum control_code connection_explain(const char *path, int error);

/* Disconnects. */
void connection_close(struct connection *connection);

/* Sends a line. False if the daemon has disconnected; a line with the reason
 * may still be there. */
bool connection_send(struct connection *connection, const char *line);

/* Receives the next line, without its newline, valid until the next call. */
enum received connection_receive(
    struct connection *connection, const char **line);

/* True if the time limit is over. connection_receive() still gives lines that
 * are there. */
bool connection_is_late(const struct connection *connection);

/* find.c: the daemon's socket. */

/* Which daemon a user has named. */
struct whereabouts {
	const char *socket;  /* NULL: not given */
	const char *cluster; /* NULL: not given; otherwise socket is unused */
};

/* Completes what a user has named, by ELECTD_SOCKET. Complains and gives false
 * if both are given. */
bool find_default(struct whereabouts *place);

#define SOCKETS_DIRECTORY "/run/electd" /* of all daemons, by default */

/*
 * Puts the query socket into `path`: the one that the user has named; else the
 * only one in /run/electd; of several, the only one whose daemon is alive; ""
 * if there is none. Complains if several are alive, and about an impossible
 * name.
 */
enum control_code find_socket(
    const struct whereabouts *place, char path[CONTROL_PATH_MAX]);

/* Complains that there is no socket. */
enum control_code explain_no_socket(void);

/* Complains that no daemon answers at `path`, and lists those that do. */
void explain_nobody(const char *path, const char *why);

/* True if this is the path of a control socket for administrators. */
bool is_admin_path(const char *path);

/*
 * plain.c: everything from outside passes through this before it is printed,
 * except the daemon's own lines in JSON.
 */

/* Puts a question mark in place of each character that would control a
 * terminal or change the direction of text, and of each byte that is not
 * UTF-8. */
void make_plain(char *text);

/* A string or an integer of the answer, made plain; "-" if it is neither. */
#define PLAIN_TEXT_MAX 288 /* the longest is an address, of 263 bytes */
const char *plain_text(const json_t *value, char text[PLAIN_TEXT_MAX]);

#endif
