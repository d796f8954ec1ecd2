/* SPDX-License-Identifier: ISC */
/* Finds which of the configured nodes this host is. */
#ifndef ELECTD_DAEMON_ELECTD_START_IDENTIFY_H
#define ELECTD_DAEMON_ELECTD_START_IDENTIFY_H

#include "daemon/config/settings.h"

#define IDENTIFY_TEXT_MAX 1024 /* of an error: both lists of addresses */

/*
 * If settings->id is left out, sets it to the one node whose address this host
 * has, and settings->socket to the path for that id. With discovery, if there
 * is no such node, takes the id of the cluster's state file in the state
 * directory, and adds this host's own node if the settings lack it. Returns
 * EXIT_SUCCESS, or the status to exit with and the reason in `text`.
 */
int identify_look(struct settings *settings, char text[IDENTIFY_TEXT_MAX]);

/* The id of this host's state file of the cluster, of several that of the one
 * that was written last; NODE_NONE: there is none. */
node_id identify_kept(const struct settings *settings);

/* Like identify_look(), but logs the reason. */
int identify_find(struct settings *settings);

#endif
