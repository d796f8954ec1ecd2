/* SPDX-License-Identifier: ISC */
/*
 * How every program that asks electd speaks to its user; libelectd asks. The
 * declarations stand under the file that defines them.
 */
#ifndef ELECTD_DAEMON_CLIENT_CLIENT_H
#define ELECTD_DAEMON_CLIENT_CLIENT_H

#include <jansson.h>
#include <string.h>

#include "common/util/types.h"
#include "daemon/control/protocol/control_protocol.h"
#include "daemon/libelectd/electd.h"

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

/* explain.c: which daemon, and what keeps us from it. */

/* Which daemon a user has named. */
struct whereabouts {
	const char *socket;  /* NULL: not given */
	const char *cluster; /* NULL: not given; otherwise socket is unused */
};

/*
 * Does what -h and -V of a program say, or complains about what is no option of
 * it, by what getopt_long() gave; `word` is the argument that had it. Gives the
 * exit status.
 */
enum control_code end_by_option(
    const char *program, const char *usage, int option, const char *word);

/* Completes what a user has named, by ELECTD_SOCKET. Complains and gives false
 * if both are given. */
bool find_default(struct whereabouts *place);

/* Puts into `path` what electd_find() finds; "" if there is no socket yet.
 * Complains about another error. */
enum control_code find_socket(
    const struct whereabouts *place, char path[CONTROL_PATH_MAX]);

/* Complains that there is no socket. */
enum control_code explain_no_socket(void);

/* Complains about an error of electd_connect(), and gives the exit status. */
enum control_code explain_connection(const char *path, int error);

/* The same for a handle that follows; CODE_YES: electd refuses, which may
 * end. */
enum control_code explain_refusal(const struct electd *e);

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
