/* SPDX-License-Identifier: ISC */
/* The shell around the node: sockets, timer, files, signals; the loop. */
#ifndef ELECTD_DAEMON_ELECTD_ELECTD_H
#define ELECTD_DAEMON_ELECTD_ELECTD_H

#include "daemon/config/settings.h"

#define EXIT_CONFIGURATION 8 /* the configuration is wrong; as electctl's */

/*
 * Runs node `settings->id` (or, set then, whose address is ours) until SIGTERM
 * or SIGINT. Gives the exit status; what failed has been logged.
 */
int electd_run(struct settings *settings);

#endif
