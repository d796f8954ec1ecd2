/* SPDX-License-Identifier: ISC */
/*
 * A daemon that a test plays on a socket of its own: the test says what comes
 * when. Nothing here waits for longer than PLAY_MS.
 */
#ifndef ELECTD_TESTS_LIB_FAKE_DAEMON_H
#define ELECTD_TESTS_LIB_FAKE_DAEMON_H

#include <stdbool.h>

#include "daemon/libelectd/electd.h"

#define PLAY_MS 60000 /* far more than anything takes */

struct fake_daemon {
	char directory[32];
	char path[64];
	int listener;
	int client; /* -1: none is connected */
};

/* A setup and a teardown of a case: the state is a struct fake_daemon. */
int fake_daemon_begin(void **state);
int fake_daemon_end(void **state);

/* Takes the client that connects. */
void fake_daemon_accept(struct fake_daemon *d);

/* Disconnects it. */
void fake_daemon_drop(struct fake_daemon *d);

/* Sends these bytes; "@+N" in them is CLOCK_BOOTTIME in N ms. */
void fake_daemon_send(struct fake_daemon *d, const char *bytes);

/* The next request must be this line. */
void fake_daemon_expect(struct fake_daemon *d, const char *line);

/* No request may have come. */
void fake_daemon_expect_nothing(struct fake_daemon *d);

/* The next news, waited for by the descriptor of the handle. */
const struct electd_news *client_news(struct electd *e);

/* A handle that this daemon has met, with this guarantee; the request to watch
 * was taken. */
struct electd *client_meet(
    struct fake_daemon *d, enum electd_mode mode, const char *guarantee);

#endif
