/* SPDX-License-Identifier: ISC */
/* The command line of electweb, and its listening socket. */
#ifndef ELECTD_DAEMON_ELECTWEB_OPTIONS_H
#define ELECTD_DAEMON_ELECTWEB_OPTIONS_H

#include "daemon/client/client.h"

#define WEB_PORT "8008" /* as Patroni's, which load balancers ask likewise */

struct web_options {
	char path[CONTROL_PATH_MAX];
	const char *socket; /* of electd; NULL: the one that is found */
	int listener;       /* non-blocking */
};

/* Reads the command line, and listens, unless systemd has passed a socket.
 * False if the program ends here, with *code: it has printed what was asked
 * for, or complained. */
bool web_options_parse(struct web_options *options, int argc, char **argv,
    enum control_code *code);

#endif
