/* SPDX-License-Identifier: ISC */
/* Puts settings into effect that were kept before the start. */
#ifndef ELECTD_DAEMON_ELECTD_START_RECALL_H
#define ELECTD_DAEMON_ELECTD_START_RECALL_H

#include "daemon/config/settings.h"

/*
 * Puts the settings into effect that are kept in the state directory, if they
 * are later than those of the file `path`, and logs that. *settings, which has
 * an id, is replaced in place. A document that is kept and wrong is logged, and
 * ignored.
 *
 * Under quorum those that are kept are always in effect: *file is then what
 * the file says, or NULL if the cluster has had that, and the caller frees it.
 * False if none are kept.
 */
bool recall_settings(
    struct settings *settings, const char *path, struct settings **file);

#endif
