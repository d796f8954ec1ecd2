/* SPDX-License-Identifier: ISC */
/*
 * The settings of a cluster whose nodes find each other (PROTOCOL.md,
 * Discovery): those of a file that lists no nodes, and those by a list of
 * common/host/nodes.h.
 */
#ifndef ELECTD_DAEMON_ELECTD_CHANGE_DISCOVERY_H
#define ELECTD_DAEMON_ELECTD_CHANGE_DISCOVERY_H

#include "common/host/nodes.h"
#include "daemon/config/settings.h"
#include "daemon/net/address.h"

#define EXIT_CONFIGURATION 8 /* the configuration is wrong; as electctl's */

#define DISCOVERY_TEXT_MAX 1024 /* bytes of an error, and its end */

/* True if the settings are those of a file that leaves this host's own node to
 * discovery. */
bool discovery_lacks_self(const struct settings *settings);

/*
 * Adds this host's own node to settings that lack it. Without an id draws one.
 * Its address is `listen`, or where this host is by its route to the others,
 * with the port 7420. Returns EXIT_SUCCESS, or the status to exit with and the
 * reason in `text`.
 */
int discovery_complete(
    struct settings *settings, char text[DISCOVERY_TEXT_MAX]);

/*
 * Gives *file, unless it is older than `running`, the revision of that and,
 * with discovery, those nodes that were discovered. *file is replaced in
 * place. False, with the errors in *errors, allocated, if that fails; then it
 * is as it was.
 */
bool discovery_follow(
    const struct settings *running, struct settings *file, char **errors);

/* What this host says of its own node: its file, and this address. */
struct config_node discovery_own(
    const struct settings *settings, const char *address);

/* The settings `running` with the list that nodes_list() makes. Allocated; NULL
 * if nothing is to change, or after logging what keeps it from that. */
struct settings *discovery_list(const struct settings *running,
    struct nodes *nodes, const struct node *node, nsec_t now,
    const struct config_node *own);

/* Removes what the state directory has of this host's id, which was drawn and
 * is another's, so that the next start draws another. Logs a failure. */
void discovery_draw_again(const struct settings *settings);

#endif
