/* SPDX-License-Identifier: ISC */
/* electd -t: checks the settings and whether this host suits them. */
#ifndef ELECTD_DAEMON_ELECTD_START_HOST_CHECK_H
#define ELECTD_DAEMON_ELECTD_START_HOST_CHECK_H

#include "daemon/config/settings.h"

/*
 * Prints errors and warnings to stderr, and to stdout one line that begins with
 * `file` and says "ok" if there is no error. Unless `file_only`, checks this
 * host too: addresses, keys, the group, the state directory, the socket. Sets
 * settings->id if it was left out. If run as root, the process continues as the
 * owner of the state directory. Returns the status to exit with.
 */
int host_check(const char *file, struct settings *settings, bool file_only);

#endif
