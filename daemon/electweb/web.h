/* SPDX-License-Identifier: ISC */
/*
 * The server: takes requests of HTTP by libmicrohttpd, and answers each with a
 * page. Everything is bounded: connections, readers of events, the time for a
 * request, the bytes of its head.
 */
#ifndef ELECTD_DAEMON_ELECTWEB_WEB_H
#define ELECTD_DAEMON_ELECTWEB_WEB_H

#include <stdbool.h>

#include "common/util/types.h"

#define WEB_CONNECTIONS 1000 /* at once; more wait in the listening socket */
#define WEB_READERS     64   /* of events, at once; more get 503 */
#define WEB_HEAD_MAX    8192 /* bytes of the head of a request */
#define WEB_HEAD_TIME   (5 * SEC) /* to send a request, or to say nothing */

struct web;

/* Makes a server on the listening socket, which is taken; -1: it gets its
 * connections by web_add(). `socket` is that of electd, borrowed; NULL: as
 * electd_find() finds it. NULL with errno. */
struct web *web_new(int listener, const char *socket);
void web_free(struct web *w);

/* A connection, which is taken. */
bool web_add(struct web *w, int connection);

/* Waits until something comes or is due, `until` at most, or until the
 * descriptor (-1: none) is readable; then does it. */
void web_run(struct web *w, nsec_t until, int descriptor);

#endif
