/* SPDX-License-Identifier: ISC */
/* The daemon around the node: sockets, timer, files, signals, and the loop. */
#ifndef ELECTD_DAEMON_ELECTD_ELECTD_H
#define ELECTD_DAEMON_ELECTD_ELECTD_H

#include "daemon/config/settings.h"

#define ELECTD_AGAIN (-1) /* electd is to run anew, with another id */

/*
 * Runs node `settings->id` until SIGTERM or SIGINT. If the id was left out,
 * sets it to the node whose address this host has. On SIGHUP, or when a client
 * asks for it, reads `path` again, as settings_read(path, id) did, and replaces
 * what is in *settings. Logs what fails, and returns the exit status, or
 * ELECTD_AGAIN.
 */
int electd_run(struct settings *settings, const char *path, node_id id);

#endif
