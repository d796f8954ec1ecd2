/* SPDX-License-Identifier: ISC */
/* What electd gives up: root's rights before it opens anything, and the system
 * calls that it does not need before it takes its first datagram. */
#ifndef ELECTD_DAEMON_ELECTD_START_CONFINE_H
#define ELECTD_DAEMON_ELECTD_START_CONFINE_H

#include "daemon/config/settings.h"

/*
 * Gives up all ways to gain rights, to leave a core file and to be traced by
 * others than root. Root continues for good as the owner of the state
 * directory. It keeps the right to bind ports below 1024, and to be real-time
 * if the settings want that. If root owns the directory, or there is none yet,
 * it continues as root with a few rights. Logs as whom it continues, and that
 * it cannot read the file at `path` any more, the configuration. Logs what
 * fails, and goes on with the rights that it has.
 */
void confine_start(const struct settings *settings, const char *path);

/*
 * From now on the kernel refuses to all threads, and to programs that they run,
 * each system call that is not in a list. Logs if the kernel or this build has
 * no such filter, and goes on without. Does nothing if called again.
 */
void confine_loop(void);

#endif
