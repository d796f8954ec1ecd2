/* SPDX-License-Identifier: ISC */
/* electd -t: would a start with these settings go well? */
#ifndef ELECTD_DAEMON_ELECTD_CHECK_H
#define ELECTD_DAEMON_ELECTD_CHECK_H

#include "daemon/config/settings.h"

/*
 * Tells what is unwise about the settings, and, unless `file_only`, what this
 * host lacks: addresses, keys, the group, the state directory. Then one line,
 * which begins with `file` and is "ok" if there is no error. As root it goes on
 * as the owner of the state directory, for good. Gives the status to exit with.
 */
int check(const char *file, struct settings *settings, bool file_only);

#endif
